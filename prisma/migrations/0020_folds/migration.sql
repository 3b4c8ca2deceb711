-- Every fold that ingestion stores is kept, not only the last one, so that the state at any event is near a stored one.
ALTER TABLE "session_snapshots" DROP CONSTRAINT "session_snapshots_pkey",
  ADD CONSTRAINT "session_snapshots_pkey" PRIMARY KEY ("session_id", "seq");
