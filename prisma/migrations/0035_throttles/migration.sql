-- expand: a new table; builds that do not know it count tries in their own memory.
-- What was tried in the minute that runs: limits hold for all replicas together. Not logged: after a crash of the database they begin anew.
CREATE UNLOGGED TABLE "throttles" (
    "key" TEXT NOT NULL,
    "count" INTEGER NOT NULL,
    "ends_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "throttles_pkey" PRIMARY KEY ("key")
);
CREATE INDEX "throttles_ends_at_idx" ON "throttles"("ends_at");
