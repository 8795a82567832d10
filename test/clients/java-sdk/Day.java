import java.io.ByteArrayInputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.core.util.VersionInfo;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3Configuration;
import software.amazon.awssdk.services.s3.model.*;
import software.amazon.awssdk.services.s3.presigner.S3Presigner;

/**
 * A day's work with AWS's SDK for Java 2: puts of all sizes with its default checksums, streams,
 * ranges, a multipart upload with each kind of checksum, copies, conditions, URLs, lists, versions,
 * many deletes. Its argument is a file of some megabytes.
 */
public class Day {
  static final int PART_BYTES = 5 << 20;
  static final List<ChecksumAlgorithm> ALGORITHMS =
      List.of(ChecksumAlgorithm.CRC32_C, ChecksumAlgorithm.SHA1, ChecksumAlgorithm.SHA256);
  static final String BUCKET = System.getenv("BUCKET");
  static final URI ENDPOINT = URI.create(System.getenv("ENDPOINT"));
  static final S3Client s3 = S3Client.builder()
      .endpointOverride(ENDPOINT)
      .region(Region.US_EAST_1)
      .forcePathStyle(true)
      .build();

  static void same(String what, boolean isSame) {
    if (!isSame) throw new AssertionError("not as it should be: " + what);
  }

  static byte[] read(String key) {
    return s3.getObjectAsBytes(r -> r.bucket(BUCKET).key(key).checksumMode(ChecksumMode.ENABLED))
        .asByteArray();
  }

  static String text(String key) {
    return new String(read(key), StandardCharsets.UTF_8);
  }

  static String put(String key, String text) {
    return s3.putObject(r -> r.bucket(BUCKET).key(key), RequestBody.fromString(text)).versionId();
  }

  static void puts(Path file, byte[] big) throws Exception {
    Map<String, String> metadata = Map.of("who", "me");
    s3.putObject(
        r -> r.bucket(BUCKET).key("small").metadata(metadata), RequestBody.fromString("hello"));
    s3.putObject(r -> r.bucket(BUCKET).key("empty"), RequestBody.empty());
    s3.putObject(r -> r.bucket(BUCKET).key("ü/big +&%"), file);
    s3.putObject(
        r -> r.bucket(BUCKET).key("stream"),
        RequestBody.fromInputStream(new ByteArrayInputStream(big), big.length));
    for (ChecksumAlgorithm algorithm : ALGORITHMS) {
      String key = "by-" + algorithm;
      s3.putObject(r -> r.bucket(BUCKET).key(key).checksumAlgorithm(algorithm), file);
      same(key, Arrays.equals(read(key), big));
    }
    same("file", Arrays.equals(read("ü/big +&%"), big));
    same("stream", Arrays.equals(read("stream"), big));
    same("empty", read("empty").length == 0);
    HeadObjectResponse head = s3.headObject(r -> r.bucket(BUCKET).key("small"));
    same("metadata", head.contentLength() == 5 && "me".equals(head.metadata().get("who")));
    try (ResponseInputStream<?> part =
        s3.getObject(r -> r.bucket(BUCKET).key("stream").range("bytes=7-15"))) {
      same("range", Arrays.equals(part.readAllBytes(), Arrays.copyOfRange(big, 7, 16)));
    }
  }

  /** Uploads in parts; `algorithm` null leaves the checksums to the SDK. */
  static void parts(byte[] big, ChecksumAlgorithm algorithm) {
    String key = "parts-" + algorithm;
    String upload = s3.createMultipartUpload(
        r -> r.bucket(BUCKET).key(key).checksumAlgorithm(algorithm)).uploadId();
    List<CompletedPart> parts = new ArrayList<>();
    for (int start = 0; start < big.length; start += PART_BYTES) {
      byte[] bytes = Arrays.copyOfRange(big, start, Math.min(big.length, start + PART_BYTES));
      int number = parts.size() + 1;
      UploadPartResponse part = s3.uploadPart(
          r -> r.bucket(BUCKET).key(key).uploadId(upload).partNumber(number)
              .checksumAlgorithm(algorithm),
          RequestBody.fromBytes(bytes));
      parts.add(CompletedPart.builder().partNumber(number).eTag(part.eTag())
          .checksumCRC32(part.checksumCRC32()).checksumCRC32C(part.checksumCRC32C())
          .checksumSHA256(part.checksumSHA256()).build());
    }
    s3.completeMultipartUpload(
        r -> r.bucket(BUCKET).key(key).uploadId(upload).multipartUpload(m -> m.parts(parts)));
    same(key, Arrays.equals(read(key), big));
  }

  static void copies() {
    s3.copyObject(r -> r.sourceBucket(BUCKET).sourceKey("ü/big +&%")
        .destinationBucket(BUCKET).destinationKey("copy"));
    same("copy", Arrays.equals(read("copy"), read("stream")));
    Tag blue = Tag.builder().key("colour").value("blue").build();
    s3.putObjectTagging(r -> r.bucket(BUCKET).key("small").tagging(t -> t.tagSet(blue)));
    List<Tag> tags = s3.getObjectTagging(r -> r.bucket(BUCKET).key("small")).tagSet();
    same("tags", tags.equals(List.of(blue)));
    try {
      s3.putObject(r -> r.bucket(BUCKET).key("small").ifNoneMatch("*"), RequestBody.empty());
      same("If-None-Match", false);
    } catch (S3Exception error) {
      same("If-None-Match", error.statusCode() == 412);
    }
  }

  static void urls() throws Exception {
    S3Presigner.Builder builder = S3Presigner.builder()
        .endpointOverride(ENDPOINT)
        .region(Region.US_EAST_1)
        .serviceConfiguration(S3Configuration.builder().pathStyleAccessEnabled(true).build());
    Duration minute = Duration.ofMinutes(1);
    try (S3Presigner presigner = builder.build()) {
      URL get = presigner.presignGetObject(p -> p.signatureDuration(minute)
          .getObjectRequest(r -> r.bucket(BUCKET).key("small"))).url();
      try (var body = get.openStream()) {
        same("URL to get", Arrays.equals(body.readAllBytes(), "hello".getBytes()));
      }
      URL put = presigner.presignPutObject(p -> p.signatureDuration(minute)
          .putObjectRequest(r -> r.bucket(BUCKET).key("by-url"))).url();
      HttpURLConnection request = (HttpURLConnection) put.openConnection();
      request.setRequestMethod("PUT");
      request.setDoOutput(true);
      request.getOutputStream().write("put".getBytes());
      same("URL to put", request.getResponseCode() == 200 && text("by-url").equals("put"));
    }
  }

  static void versions() {
    s3.putBucketVersioning(r -> r.bucket(BUCKET)
        .versioningConfiguration(v -> v.status(BucketVersioningStatus.ENABLED)));
    String first = put("v", "1");
    put("v", "2");
    s3.deleteObject(r -> r.bucket(BUCKET).key("v"));
    var older = s3.getObjectAsBytes(r -> r.bucket(BUCKET).key("v").versionId(first));
    same("version", older.asUtf8String().equals("1"));
    try {
      read("v");
      same("delete marker", false);
    } catch (NoSuchKeyException error) {
      same("delete marker", error.statusCode() == 404);
    }
  }

  static ObjectIdentifier named(String key, String versionId) {
    return ObjectIdentifier.builder().key(key).versionId(versionId).build();
  }

  static void removal() {
    List<ObjectIdentifier> all = new ArrayList<>();
    for (var page : s3.listObjectVersionsPaginator(r -> r.bucket(BUCKET).maxKeys(5))) {
      page.versions().forEach(v -> all.add(named(v.key(), v.versionId())));
      page.deleteMarkers().forEach(v -> all.add(named(v.key(), v.versionId())));
    }
    same("list of versions", all.size() == 15);
    var keys = s3.listObjectsV2Paginator(r -> r.bucket(BUCKET).maxKeys(5)).contents();
    same("list", keys.stream().count() == 12);
    var removed = s3.deleteObjects(r -> r.bucket(BUCKET).delete(d -> d.objects(all)));
    same("deletes", removed.deleted().size() == all.size());
    s3.deleteBucket(r -> r.bucket(BUCKET));
  }

  public static void main(String[] args) throws Exception {
    Path file = Path.of(args[0]);
    byte[] big = Files.readAllBytes(file);
    s3.createBucket(r -> r.bucket(BUCKET));
    List<Bucket> buckets = s3.listBuckets().buckets();
    same("bucket", buckets.stream().anyMatch(bucket -> bucket.name().equals(BUCKET)));
    puts(file, big);
    parts(big, null);
    parts(big, ChecksumAlgorithm.CRC32_C);
    parts(big, ChecksumAlgorithm.SHA256);
    copies();
    urls();
    versions();
    removal();
    System.out.println("AWS SDK for Java " + VersionInfo.SDK_VERSION);
  }
}
