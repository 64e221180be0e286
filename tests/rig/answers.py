# SPDX-License-Identifier: Apache-2.0
"""answers.py - what cosid's answers must hold for a store of one protocol; rig/store.py's stores have it.

  protocol    its word in requests; its lower case is the key of v1alpha1's credentials
  others      the protocols that it does not serve
  several     may one access be of several buckets?
  secret_keys what v1alpha1's credentials hold
  stored, removed  what the store answers when an object is put, and when it is removed
  account_most, account_head  how long an account's name may be, and what is kept of a longer one
"""


class S3Answers:
    protocol, others, number, several = "S3", ("AZURE", "GCS"), 1, True
    secret_keys = ["accessKeyID", "accessSecretKey", "endpoint", "region"]
    account_most, account_head = 48, 32
    stored, removed = 200, 204

    @staticmethod
    def check_v1(info):
        assert info.WhichOneof("type") == "s3"
        assert info.s3.signature_version == 2
        assert info.s3.region

    @staticmethod
    def check_v2(infos, bucket):
        assert infos.HasField("s3") and not infos.HasField("azure") and not infos.HasField("gcs")
        info = infos.s3
        assert info.bucket_id == bucket
        assert info.endpoint.startswith("http://") and not info.endpoint.endswith("/")
        assert info.region
        assert info.addressing_style.style == 1

    @staticmethod
    def check_access(access):
        assert access.key and access.secret and access.region
        assert access.endpoint.startswith("http://")


class AzureAnswers:
    protocol, others, number, several = "AZURE", ("S3", "GCS"), 2, False
    secret_keys = ["accessToken"]
    account_most, account_head = 44, 31
    stored, removed = 201, 202

    def check_v1(self, info):
        assert info.WhichOneof("type") == "azureBlob"
        assert info.azureBlob.storage_account == self.account

    def check_v2(self, infos, _):
        assert infos.HasField("azure") and not infos.HasField("s3") and not infos.HasField("gcs")
        assert infos.azure.storage_account == self.account

    @staticmethod
    def check_access(access):
        url, _, query = access.token.partition("?")
        assert url.startswith("http://")
        assert [x.partition("=")[0] for x in query.split("&")] == ["sv", "si", "sr", "sig"]
        assert access.expires == ""
