-- What took a release's place in its environment is found at once, however many releases of other configs lie between.
CREATE INDEX "releases_environment_id_config_id_revision_idx" ON "releases"("environment_id", "config_id", "revision");
