# Hadoop's s3a: the program hadoop-s3a/Day.java. HADOOP_CLASSPATH is the class path of the jars of
# Hadoop and of AWS's SDK for it.
set -euo pipefail
source "$(dirname "$0")/tree.sh"
if [ -z "$HADOOP_CLASSPATH" ]; then
  echo 'skipped: HADOOP_CLASSPATH names no jars'
  exit 0
fi
make_tree
make_bucket
javac -cp "$HADOOP_CLASSPATH" -d . "$CLIENTS/hadoop-s3a/Day.java"
version=$(java -cp "$HADOOP_CLASSPATH:." Day "$WORK/tree" 2>err) || { grep -v SLF4J err; exit 1; }
find back -name '.*.crc' -delete
diff -r tree back
echo "$version"
