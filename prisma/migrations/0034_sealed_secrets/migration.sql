-- expand: a new table; builds that do not know it read their secrets from the environment or from secrets.json.
-- The secrets of the installation, sealed with SIGNALBOX_SECRET. One row: two first starts cannot each keep their own.
CREATE TABLE "sealed_secrets" (
    "id" SMALLINT NOT NULL DEFAULT 1,
    "sealed" TEXT NOT NULL,
    "sealed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "sealed_secrets_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "sealed_secrets_one_row" CHECK ("id" = 1)
);
