-- Who was removed from a project stays out of it, also where the domain of their address lets people in.
CREATE TABLE "removed_addresses" (
    "project_id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "removed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "removed_addresses_pkey" PRIMARY KEY ("project_id","email"),
    CONSTRAINT "removed_addresses_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
