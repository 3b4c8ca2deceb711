-- expand: two new tables, which older builds ignore. Decisions that an older build stores are not streamed.
CREATE TABLE "webhook_streams" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "audit" BOOLEAN NOT NULL,
    "decisions" BOOLEAN NOT NULL,
    "environment" TEXT,
    "number" BIGINT NOT NULL DEFAULT 0,
    "claimed_number" BIGINT NOT NULL DEFAULT 0,
    "audit_position" INTEGER NOT NULL,
    "claimed_audit_position" INTEGER NOT NULL,
    "claimed_at" TIMESTAMPTZ(3),
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_at" TIMESTAMPTZ(3),
    "last" TEXT,
    "delivered_at" TIMESTAMPTZ(3),
    "aside_at" TIMESTAMPTZ(3),
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_streams_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "webhook_streams_project_id_name_key" ON "webhook_streams"("project_id", "name");

CREATE TABLE "webhook_stream_items" (
    "stream_id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "record_id" TEXT NOT NULL,
    "arrived_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "number" BIGINT,

    CONSTRAINT "webhook_stream_items_pkey" PRIMARY KEY ("stream_id", "record_id")
);

CREATE INDEX "webhook_stream_items_stream_id_number_arrived_at_record_id_idx" ON "webhook_stream_items"("stream_id", "number", "arrived_at", "record_id");

ALTER TABLE "webhook_streams" ADD CONSTRAINT "webhook_streams_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "webhook_stream_items" ADD CONSTRAINT "webhook_stream_items_stream_id_fkey" FOREIGN KEY ("stream_id") REFERENCES "webhook_streams"("id") ON DELETE CASCADE ON UPDATE CASCADE;
