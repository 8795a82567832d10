// A day's work with minio-go: puts of all sizes and of unknown length, with and without checksums,
// ranges, lists, server-side copy and join, URLs, a form, versions, many deletes. Its argument is a
// file of some megabytes. Ends with the first thing that is not as it should be.
package main

import (
	"bytes"
	"context"
	"io"
	"log"
	"mime/multipart"
	"net/http"
	"os"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/tags"
)

const partBytes = 5 << 20

var (
	ctx    = context.Background()
	bucket = os.Getenv("BUCKET")
	s3     *minio.Client
)

func must[Value any](value Value, err error) Value {
	done(err)
	return value
}

func done(err error) {
	if err != nil {
		log.Output(2, err.Error())
		os.Exit(1)
	}
}

func same(what string, isSame bool) {
	if !isSame {
		log.Fatal("not as it should be: ", what)
	}
}

func read(key string, options minio.GetObjectOptions) []byte {
	return must(io.ReadAll(must(s3.GetObject(ctx, bucket, key, options))))
}

// onlyReader hides that a reader can seek and knows its length.
type onlyReader struct{ io.Reader }

func puts(big []byte) {
	small := minio.PutObjectOptions{UserMetadata: map[string]string{"who": "me"}}
	must(s3.PutObject(ctx, bucket, "small", bytes.NewReader([]byte("hello")), 5, small))
	must(s3.PutObject(ctx, bucket, "empty", bytes.NewReader(nil), 0, minio.PutObjectOptions{}))
	same("empty", len(read("empty", minio.GetObjectOptions{})) == 0)
	info := must(s3.StatObject(ctx, bucket, "small", minio.StatObjectOptions{}))
	same("metadata", info.Size == 5 && info.UserMetadata["Who"] == "me")
	ways := map[string]minio.PutObjectOptions{
		"ü/big +&%":  {PartSize: partBytes},
		"concurrent": {PartSize: partBytes, ConcurrentStreamParts: true, NumThreads: 3},
		"md5":        {PartSize: partBytes, SendContentMd5: true},
		"crc32c":     {PartSize: partBytes, Checksum: minio.ChecksumCRC32C},
		"sha256":     {PartSize: partBytes, Checksum: minio.ChecksumSHA256},
		"whole":      {PartSize: partBytes, Checksum: minio.ChecksumFullObjectCRC32C},
		"one":        {DisableMultipart: true, Checksum: minio.ChecksumCRC64NVME},
	}
	for key, options := range ways {
		must(s3.PutObject(ctx, bucket, key, bytes.NewReader(big), int64(len(big)), options))
		same(key, bytes.Equal(read(key, minio.GetObjectOptions{Checksum: true}), big))
		if options.DisableMultipart {
			continue
		}
		must(s3.PutObject(ctx, bucket, key, onlyReader{bytes.NewReader(big)}, -1, options))
		same(key+" of unknown length", bytes.Equal(read(key, minio.GetObjectOptions{}), big))
	}
	part := minio.GetObjectOptions{}
	done(part.SetRange(7, 15))
	same("range", bytes.Equal(read("md5", part), big[7:16]))
}

func copies(big []byte) {
	small := minio.CopySrcOptions{Bucket: bucket, Object: "small"}
	must(s3.CopyObject(ctx, minio.CopyDestOptions{Bucket: bucket, Object: "copy"}, small))
	same("copy", string(read("copy", minio.GetObjectOptions{})) == "hello")
	first := minio.CopySrcOptions{Bucket: bucket, Object: "md5"}
	must(s3.ComposeObject(ctx, minio.CopyDestOptions{Bucket: bucket, Object: "joined"}, first, small))
	joined := append(bytes.Clone(big), "hello"...)
	same("join", bytes.Equal(read("joined", minio.GetObjectOptions{}), joined))
	colour := must(tags.NewTags(map[string]string{"colour": "blue"}, true))
	done(s3.PutObjectTagging(ctx, bucket, "small", colour, minio.PutObjectTaggingOptions{}))
	found := must(s3.GetObjectTagging(ctx, bucket, "small", minio.GetObjectTaggingOptions{}))
	same("tags", found.ToMap()["colour"] == "blue")
	conditional := minio.PutObjectOptions{}
	conditional.SetMatchETagExcept("*")
	_, err := s3.PutObject(ctx, bucket, "small", bytes.NewReader(nil), 0, conditional)
	same("If-None-Match", minio.ToErrorResponse(err).Code == "PreconditionFailed")
}

func urls() {
	get := must(s3.PresignedGetObject(ctx, bucket, "small", time.Hour, nil))
	answer := must(http.Get(get.String()))
	same("URL to get", string(must(io.ReadAll(answer.Body))) == "hello")
	put := must(s3.PresignedPutObject(ctx, bucket, "by-url", time.Hour))
	request := must(http.NewRequest("PUT", put.String(), bytes.NewReader([]byte("put"))))
	same("URL to put", must(http.DefaultClient.Do(request)).StatusCode == 200)
	same("put by URL", string(read("by-url", minio.GetObjectOptions{})) == "put")

	policy := minio.NewPostPolicy()
	done(policy.SetBucket(bucket))
	done(policy.SetKey("by-form"))
	done(policy.SetExpires(time.Now().Add(time.Hour)))
	done(policy.SetContentLengthRange(1, 100))
	at, fields, err := s3.PresignedPostPolicy(ctx, policy)
	done(err)
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for name, value := range fields {
		done(form.WriteField(name, value))
	}
	must(must(form.CreateFormFile("file", "f")).Write([]byte("form")))
	done(form.Close())
	must(http.Post(at.String(), form.FormDataContentType(), &body))
	same("put by form", string(read("by-form", minio.GetObjectOptions{})) == "form")
}

func versions() {
	done(s3.EnableVersioning(ctx, bucket))
	v := func(text string) string {
		data := bytes.NewReader([]byte(text))
		size := int64(len(text))
		return must(s3.PutObject(ctx, bucket, "v", data, size, minio.PutObjectOptions{})).VersionID
	}
	first := v("1")
	v("2")
	done(s3.RemoveObject(ctx, bucket, "v", minio.RemoveObjectOptions{}))
	same("version", string(read("v", minio.GetObjectOptions{VersionID: first})) == "1")
	_, err := s3.StatObject(ctx, bucket, "v", minio.StatObjectOptions{})
	same("delete marker", minio.ToErrorResponse(err).Code == "NoSuchKey")
}

func removal() {
	all := minio.ListObjectsOptions{Recursive: true, WithVersions: true, MaxKeys: 7}
	entries := s3.ListObjects(ctx, bucket, all)
	for failure := range s3.RemoveObjects(ctx, bucket, entries, minio.RemoveObjectsOptions{}) {
		done(failure.Err)
	}
	done(s3.RemoveBucket(ctx, bucket))
}

func main() {
	log.SetFlags(log.Lshortfile)
	id, secret := os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY")
	keys := credentials.NewStaticV4(id, secret, "")
	s3 = must(minio.New(os.Getenv("HOST"), &minio.Options{Creds: keys, TrailingHeaders: true}))
	done(s3.MakeBucket(ctx, bucket, minio.MakeBucketOptions{}))
	same("bucket", must(s3.BucketExists(ctx, bucket)))
	big := must(os.ReadFile(os.Args[1]))
	puts(big)
	copies(big)
	urls()
	versions()
	removal()
}
