-- expand: a nullable column.
-- A watch whose rollback is refused goes on. Its problem began when its version was found worse, not with the release.
ALTER TABLE "rollouts" ADD COLUMN "worse_at" TIMESTAMPTZ(3);
