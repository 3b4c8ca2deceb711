-- expand: columns with a default or null, which older builds ignore.
ALTER TABLE "memberships" ADD COLUMN "granted_by" TEXT;
ALTER TABLE "memberships" ADD COLUMN "granted_groups" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[];
