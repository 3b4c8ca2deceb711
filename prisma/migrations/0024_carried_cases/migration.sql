-- Pinned cases travel in exports: a session's copy belongs to the project that holds it, so that two projects may hold copies of the
-- same session, and a case says which project it came from.

ALTER TABLE "pinned_events" DROP CONSTRAINT "pinned_events_pkey";
ALTER TABLE "pinned_events" ADD CONSTRAINT "pinned_events_pkey" PRIMARY KEY ("project_id", "session_id", "seq");
ALTER TABLE "pinned_cases" ADD COLUMN "imported_from" TEXT;
