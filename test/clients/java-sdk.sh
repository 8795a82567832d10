# AWS's SDK for Java 2: the program java-sdk/Day.java. AWS_SDK_CLASSPATH is the class path of the
# SDK's jars.
set -euo pipefail
if [ -z "$AWS_SDK_CLASSPATH" ]; then
  echo 'skipped: AWS_SDK_CLASSPATH names no jars'
  exit 0
fi
head -c 20000000 /dev/urandom >big.bin
javac -cp "$AWS_SDK_CLASSPATH" -d . "$CLIENTS/java-sdk/Day.java"
java -cp "$AWS_SDK_CLASSPATH:." Day big.bin 2>err || { grep -v SLF4J err; exit 1; }
