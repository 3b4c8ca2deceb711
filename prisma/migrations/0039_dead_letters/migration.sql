-- expand: a new table; older builds acknowledge no event before it is stored.
CREATE TABLE "dead_letters" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "key_id" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "detail" TEXT NOT NULL,
    "session_id" TEXT,
    "seq" INTEGER,
    "events" INTEGER NOT NULL,
    "body" BYTEA,
    "accepted_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "dead_letters_pkey" PRIMARY KEY ("project_id", "id")
);

CREATE INDEX "dead_letters_project_id_created_at_id_idx" ON "dead_letters"("project_id", "created_at" DESC, "id" DESC);
