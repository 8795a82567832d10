import java.io.IOException;
import java.net.URI;
import java.util.Arrays;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.*;
import org.apache.hadoop.util.VersionInfo;

/**
 * A day's work with Hadoop's s3a as jobs do it: a folder copied in and out, a stream of blocks,
 * seeks and positioned reads, a folder renamed, summed up and deleted. Its argument is a folder;
 * the copy comes into `back` beside it.
 */
public class Day {
  static void same(String what, boolean isSame) {
    if (!isSame) throw new AssertionError("not as it should be: " + what);
  }

  static Configuration configuration() {
    Configuration conf = new Configuration();
    conf.set("fs.s3a.endpoint", System.getenv("ENDPOINT"));
    conf.set("fs.s3a.endpoint.region", "us-east-1");
    conf.set("fs.s3a.path.style.access", "true");
    conf.set("fs.s3a.access.key", System.getenv("AWS_ACCESS_KEY_ID"));
    conf.set("fs.s3a.secret.key", System.getenv("AWS_SECRET_ACCESS_KEY"));
    conf.set("fs.s3a.multipart.size", "5M");
    conf.set("fs.s3a.multipart.threshold", "5M");
    conf.set("fs.s3a.buffer.dir", System.getenv("WORK") + "/blocks");
    return conf;
  }

  static void streams(FileSystem s3, Path file) throws IOException {
    byte[] block = new byte[1 << 20];
    try (FSDataOutputStream out = s3.create(file, true)) {
      for (int n = 0; n < 12; n += 1) {
        Arrays.fill(block, (byte) n);
        out.write(block);
      }
    }
    same("size", s3.getFileStatus(file).getLen() == 12 << 20);
    try (FSDataInputStream in = s3.open(file)) {
      for (int n : new int[] {11, 3, 7, 0}) {
        in.seek((long) n << 20);
        same("seek", in.read() == n);
      }
      byte[] few = new byte[2];
      in.readFully((5 << 20) - 1, few);
      same("positioned read", few[0] == 4 && few[1] == 5);
    }
    try (FSDataOutputStream out = s3.create(file, false)) {
      same("an existing file was written over", false);
    } catch (FileAlreadyExistsException expected) {
      same("size after the refusal", s3.getFileStatus(file).getLen() == 12 << 20);
    }
  }

  public static void main(String[] args) throws Exception {
    Configuration conf = configuration();
    Path root = new Path("s3a://" + System.getenv("BUCKET") + "/");
    FileSystem s3 = FileSystem.get(URI.create(root.toString()), conf);
    Path tree = new Path(root, "tree");
    Path local = new Path("file://" + args[0]);
    s3.copyFromLocalFile(local, tree);
    streams(s3, new Path(root, "work/blocks"));

    Path renamed = new Path(root, "renamed");
    same("rename", s3.rename(tree, renamed) && !s3.exists(tree));
    ContentSummary summary = s3.getContentSummary(renamed);
    same("summary", summary.getFileCount() == 6 && summary.getLength() == 20_100_009);
    same("mkdirs", s3.mkdirs(new Path(root, "a/b/c")));
    same("folder", s3.getFileStatus(new Path(root, "a/b")).isDirectory());
    same("refused delete", !deletesFolder(s3, renamed));
    Path back = new Path("file://" + System.getenv("WORK") + "/back");
    s3.copyToLocalFile(false, renamed, back, true);
    for (String name : new String[] {"renamed", "work", "a"}) {
      same("delete", s3.delete(new Path(root, name), true));
    }
    same("empty at the end", s3.listStatus(root).length == 0);
    s3.close();
    System.out.println("Hadoop " + VersionInfo.getVersion());
  }

  /** Whether a folder with files goes without `recursive`. */
  static boolean deletesFolder(FileSystem s3, Path folder) throws IOException {
    try {
      return s3.delete(folder, false);
    } catch (PathIsNotEmptyDirectoryException expected) {
      return false;
    }
  }
}
