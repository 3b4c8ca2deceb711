-- expand: a nullable column in four tables, which a trigger fills where an older build does not.
-- Rows of these tables belonged to a project through a session, a series or an environment. Now each names its project, so that the rows
-- of one project can be selected, copied and checked without a join. The job `projects.fill` completes older rows and then validates the
-- constraint; a later migration makes the columns NOT NULL.
ALTER TABLE "environment_pointers" ADD COLUMN "project_id" TEXT;
ALTER TABLE "bundles" ADD COLUMN "project_id" TEXT;
ALTER TABLE "session_snapshots" ADD COLUMN "project_id" TEXT;
ALTER TABLE "rollup_hours" ADD COLUMN "project_id" TEXT;

CREATE FUNCTION signalbox_fill_project() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  CASE TG_TABLE_NAME
    WHEN 'session_snapshots' THEN
      SELECT s.project_id INTO NEW.project_id FROM sessions s WHERE s.id = NEW.session_id;
    WHEN 'rollup_hours' THEN
      SELECT s.project_id INTO NEW.project_id FROM rollup_series s WHERE s.id = NEW.series_id;
    ELSE
      SELECT e.project_id INTO NEW.project_id FROM environments e WHERE e.id = NEW.environment_id;
  END CASE;
  RETURN NEW;
END $$;

CREATE TRIGGER fill_project BEFORE INSERT OR UPDATE ON "environment_pointers"
  FOR EACH ROW WHEN (NEW.project_id IS NULL) EXECUTE FUNCTION signalbox_fill_project();
CREATE TRIGGER fill_project BEFORE INSERT OR UPDATE ON "bundles"
  FOR EACH ROW WHEN (NEW.project_id IS NULL) EXECUTE FUNCTION signalbox_fill_project();
CREATE TRIGGER fill_project BEFORE INSERT OR UPDATE ON "session_snapshots"
  FOR EACH ROW WHEN (NEW.project_id IS NULL) EXECUTE FUNCTION signalbox_fill_project();
CREATE TRIGGER fill_project BEFORE INSERT OR UPDATE ON "rollup_hours"
  FOR EACH ROW WHEN (NEW.project_id IS NULL) EXECUTE FUNCTION signalbox_fill_project();

-- NOT VALID: holds for new rows, and reads none.
ALTER TABLE "environment_pointers" ADD CONSTRAINT "project_known" CHECK ("project_id" IS NOT NULL) NOT VALID;
ALTER TABLE "bundles" ADD CONSTRAINT "project_known" CHECK ("project_id" IS NOT NULL) NOT VALID;
ALTER TABLE "session_snapshots" ADD CONSTRAINT "project_known" CHECK ("project_id" IS NOT NULL) NOT VALID;
ALTER TABLE "rollup_hours" ADD CONSTRAINT "project_known" CHECK ("project_id" IS NOT NULL) NOT VALID;
