-- A request that is sent again under its name must ask for the same.
ALTER TABLE "releases" ADD COLUMN "request_digest" TEXT;
