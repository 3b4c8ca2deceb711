-- expand: a new table; builds that do not know it show what a restore lost as events that were never sent.
-- When this database was restored from a backup. Written by scripts/restore.mjs.
CREATE TABLE "restores" (
    "restored_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "backup_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "restores_pkey" PRIMARY KEY ("restored_at")
);
