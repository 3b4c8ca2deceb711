-- Annotations (specs/annotations.md): what people write beside the log, never in it. They go with their session.
CREATE TABLE "annotations" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "session_id" TEXT NOT NULL,
    -- Of the event that it is about; null: the session.
    "seq" INTEGER,
    "text" TEXT NOT NULL,
    "author_id" TEXT NOT NULL,
    "author" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "edited_at" TIMESTAMPTZ(3),

    CONSTRAINT "annotations_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "annotations_seq_check" CHECK ("seq" > 0)
);
CREATE INDEX "annotations_session_id_created_at_idx" ON "annotations"("session_id", "created_at");
CREATE INDEX "annotations_project_id_created_at_id_idx" ON "annotations"("project_id", "created_at" DESC, "id" DESC);

-- Saved views (specs/views.md): names for addresses of lists.
CREATE TABLE "saved_views" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    -- sessions, stops, …: server/services/saved-views.ts
    "list" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    -- Of the address, without "?".
    "query" TEXT NOT NULL,
    "owner_id" TEXT NOT NULL,
    "owner" TEXT NOT NULL,
    "shared" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    -- Deleted, and can be brought back until another one of its owner takes the name.
    "removed_at" TIMESTAMPTZ(3),

    CONSTRAINT "saved_views_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "saved_views_project_id_list_owner_id_name_key" ON "saved_views"("project_id", "list", "owner_id", "name");

-- What a list opens with for one person.
CREATE TABLE "default_views" (
    "project_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "list" TEXT NOT NULL,
    "view_id" TEXT NOT NULL,

    CONSTRAINT "default_views_pkey" PRIMARY KEY ("project_id", "user_id", "list")
);
CREATE INDEX "default_views_view_id_idx" ON "default_views"("view_id");
ALTER TABLE "default_views" ADD CONSTRAINT "default_views_view_id_fkey" FOREIGN KEY ("view_id") REFERENCES "saved_views"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The beginning of an id finds its session, whatever order the database's locale has.
CREATE INDEX "sessions_project_id_id_idx" ON "sessions"("project_id", "id" COLLATE "C");
