-- expand: a nullable column, a table, and functions of triggers that do nothing for rows that a move copies or removes.
-- In the directory: the cell of each project, null for the directory's own database, and the project of each key of another cell.
ALTER TABLE "projects" ADD COLUMN "cell" TEXT;

CREATE TABLE "key_places" (
    "prefix" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,

    CONSTRAINT "key_places_pkey" PRIMARY KEY ("prefix")
);
CREATE INDEX "key_places_project_id_idx" ON "key_places"("project_id");
ALTER TABLE "key_places" ADD CONSTRAINT "key_places_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- `npm run move-project` copies a project to another database with its audit log and the log's chain, and removes it here afterwards. It names
-- the project in a setting of its transaction; no other transaction has it.
CREATE OR REPLACE FUNCTION "signalbox_link_audit_entry"() RETURNS TRIGGER
LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.project_id IS DISTINCT FROM current_setting('signalbox.moved_project', true) THEN
        PERFORM "signalbox_chain_audit_entry"(NEW);
    END IF;
    RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION "signalbox_refuse_change"() RETURNS TRIGGER
LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND OLD.project_id = current_setting('signalbox.moved_project', true) THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'table % is append-only', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
END
$$;

-- Of the triggers that a move creates. The code makes it a failure after which the same request may be sent again.
CREATE FUNCTION "signalbox_refuse_moving"() RETURNS TRIGGER
LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND OLD.project_id = current_setting('signalbox.moved_project', true) THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'The project is being moved to another database.' USING ERRCODE = '57PMV';
END
$$;
