-- expand: a nullable column, which older builds ignore.
-- A search may be about a session that an answer shows and that no agent ran (specs/prevention.md).
ALTER TABLE "preventions" ADD COLUMN "example" JSON;
