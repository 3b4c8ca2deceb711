-- expand: a column with a default, which older builds ignore: their next batch leaves no gap for the decisions that are gone.
ALTER TABLE "webhook_streams" ADD COLUMN "skipped" BIGINT NOT NULL DEFAULT 0;
