-- A release knows the request that made it, so that the same request sent again makes no second one.
ALTER TABLE "releases" ADD COLUMN "request_key" TEXT;

CREATE UNIQUE INDEX "releases_author_id_request_key_key" ON "releases"("author_id", "request_key");
