-- Texts of drafts that later saves replaced (specs/console.md, Editor): they can be read and restored for 30 days.
CREATE TABLE "earlier_texts" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "config_id" TEXT NOT NULL,
    "draft_id" TEXT NOT NULL,
    "revision" INTEGER NOT NULL,
    "text" TEXT NOT NULL,
    -- To the text that was kept before it, in words; null: one of the two is no config, or there is none.
    "changes" INTEGER,
    "saved_by" TEXT NOT NULL,
    "saved_at" TIMESTAMPTZ(3) NOT NULL,
    "replaced_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "earlier_texts_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "earlier_texts_draft_id_revision_key" ON "earlier_texts"("draft_id", "revision");
CREATE INDEX "earlier_texts_config_id_replaced_at_id_idx" ON "earlier_texts"("config_id", "replaced_at" DESC, "id" DESC);
CREATE INDEX "earlier_texts_replaced_at_idx" ON "earlier_texts"("replaced_at");
ALTER TABLE "earlier_texts" ADD CONSTRAINT "earlier_texts_draft_id_fkey" FOREIGN KEY ("draft_id") REFERENCES "drafts"("id") ON DELETE CASCADE ON UPDATE CASCADE;
