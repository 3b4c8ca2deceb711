-- Where each change came from, and a hash chain over the audit log of each project (specs/records.md, decision 35).
ALTER TABLE "audit_entries" ADD COLUMN "origin" TEXT;

CREATE INDEX "audit_entries_project_id_actor_id_at_id_idx" ON "audit_entries"("project_id", "actor_id", "at" DESC, "id" DESC);
CREATE INDEX "audit_entries_project_id_action_at_id_idx" ON "audit_entries"("project_id", "action", "at" DESC, "id" DESC);
CREATE INDEX "audit_entries_project_id_target_at_id_idx" ON "audit_entries"("project_id", "target", "at" DESC, "id" DESC);

-- The end of a project's chain, and what the last check found. Its row is the lock under which an entry gets its place.
CREATE TABLE "audit_chains" (
    "project_id" TEXT NOT NULL,
    "head_position" INTEGER NOT NULL,
    "head_hash" TEXT NOT NULL,
    "checked_at" TIMESTAMPTZ(3),
    "checked_position" INTEGER NOT NULL DEFAULT 0,
    "checked_hash" TEXT,
    "broken_position" INTEGER,
    "broken_entry_id" TEXT,
    "broken_reason" TEXT,

    CONSTRAINT "audit_chains_pkey" PRIMARY KEY ("project_id")
);

-- The place of each entry: in the order of commits, each bound to the one before by its hash.
CREATE TABLE "audit_links" (
    "project_id" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "entry_id" TEXT NOT NULL,
    "prev" TEXT NOT NULL,
    "hash" TEXT NOT NULL,

    CONSTRAINT "audit_links_pkey" PRIMARY KEY ("project_id", "position")
);
CREATE UNIQUE INDEX "audit_links_entry_id_key" ON "audit_links"("entry_id");

-- What is hashed: the whole entry with its place, as jsonb prints it (keys by length, then by bytes).
CREATE FUNCTION "signalbox_audit_text"("entry" "audit_entries", "place" INTEGER, "prev" TEXT) RETURNS TEXT
LANGUAGE sql STABLE AS $$
    SELECT jsonb_build_object(
        'id', entry.id, 'project', entry.project_id, 'position', place, 'prev', prev,
        'at', (extract(epoch FROM entry.at) * 1000)::bigint,
        'actor_id', entry.actor_id, 'actor', entry.actor, 'action', entry.action, 'target', entry.target,
        'before', entry.before, 'after', entry.after, 'origin', entry.origin)::text
$$;

CREATE FUNCTION "signalbox_audit_hash"("entry" "audit_entries", "place" INTEGER, "prev" TEXT) RETURNS TEXT
LANGUAGE sql STABLE AS $$
    SELECT encode(sha256(convert_to("signalbox_audit_text"(entry, place, prev), 'UTF8')), 'hex')
$$;

-- Others that want a place in the same project's chain wait from here until this transaction ends.
CREATE FUNCTION "signalbox_chain_audit_entry"("entry" "audit_entries") RETURNS VOID
LANGUAGE plpgsql AS $$
DECLARE
    place INTEGER;
    before TEXT;
    sealed TEXT;
BEGIN
    INSERT INTO "audit_chains" AS chain (project_id, head_position, head_hash) VALUES (entry.project_id, 1, '')
    ON CONFLICT (project_id) DO UPDATE SET head_position = chain.head_position + 1
    RETURNING chain.head_position, chain.head_hash INTO place, before;
    sealed := "signalbox_audit_hash"(entry, place, before);
    INSERT INTO "audit_links" (project_id, position, entry_id, prev, hash)
    VALUES (entry.project_id, place, entry.id, before, sealed);
    UPDATE "audit_chains" SET head_hash = sealed WHERE project_id = entry.project_id;
END
$$;

SELECT "signalbox_chain_audit_entry"(entry) FROM "audit_entries" entry ORDER BY entry.at, entry.id;

CREATE FUNCTION "signalbox_link_audit_entry"() RETURNS TRIGGER
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM "signalbox_chain_audit_entry"(NEW);
    RETURN NULL;
END
$$;

-- At the commit, when the transaction needs nothing else any more: so the lock is short, and last in every order of locks.
CREATE CONSTRAINT TRIGGER "audit_entries_link"
AFTER INSERT ON "audit_entries" DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW EXECUTE FUNCTION "signalbox_link_audit_entry"();

CREATE TRIGGER "audit_links_append_only"
BEFORE UPDATE OR DELETE ON "audit_links"
FOR EACH ROW EXECUTE FUNCTION "signalbox_refuse_change"();
CREATE TRIGGER "audit_entries_not_emptied"
BEFORE TRUNCATE ON "audit_entries"
FOR EACH STATEMENT EXECUTE FUNCTION "signalbox_refuse_change"();
CREATE TRIGGER "audit_links_not_emptied"
BEFORE TRUNCATE ON "audit_links"
FOR EACH STATEMENT EXECUTE FUNCTION "signalbox_refuse_change"();
