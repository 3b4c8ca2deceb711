-- expand: a table, which older builds ignore: they release without its gates.
CREATE TABLE "claims" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "config_id" TEXT NOT NULL,
    "question" JSONB NOT NULL,
    "question_digest" TEXT NOT NULL,
    "expect" TEXT NOT NULL,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "claims_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "claims_expect_check" CHECK ("expect" IN ('never', 'possible'))
);
CREATE UNIQUE INDEX "claims_config_id_question_digest_key" ON "claims"("config_id", "question_digest");
CREATE INDEX "claims_project_id_config_id_created_at_idx" ON "claims"("project_id", "config_id", "created_at");

ALTER TABLE "claims" ADD CONSTRAINT "claims_config_id_fkey" FOREIGN KEY ("config_id") REFERENCES "configs"("id") ON DELETE CASCADE ON UPDATE CASCADE;
