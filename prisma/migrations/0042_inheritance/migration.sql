-- expand: two nullable columns and a table, which older builds ignore. A version that an older build writes extends nothing.
ALTER TABLE "config_versions" ADD COLUMN "source" TEXT, ADD COLUMN "base_version_id" TEXT;

CREATE INDEX "config_versions_base_version_id_idx" ON "config_versions"("base_version_id");

CREATE TABLE "mandatory_bases" (
    "project_id" TEXT NOT NULL,
    "config_id" TEXT NOT NULL,

    CONSTRAINT "mandatory_bases_pkey" PRIMARY KEY ("project_id")
);

ALTER TABLE "mandatory_bases" ADD CONSTRAINT "mandatory_bases_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "mandatory_bases" ADD CONSTRAINT "mandatory_bases_config_id_fkey" FOREIGN KEY ("config_id") REFERENCES "configs"("id") ON DELETE CASCADE ON UPDATE CASCADE;
