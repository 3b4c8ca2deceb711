-- expand: a new table, which older builds ignore.
-- Labels of people beside the log (specs/labels.md): a session, call or stop that was good or bad.
CREATE TABLE "session_labels" (
    "project_id" TEXT NOT NULL,
    "session_id" TEXT NOT NULL,
    -- The decision that the label is about; 0: the session.
    "seq" INTEGER NOT NULL,
    "label" TEXT NOT NULL,
    "labelled_by" TEXT NOT NULL,
    "labelled_name" TEXT NOT NULL,
    "labelled_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "session_labels_pkey" PRIMARY KEY ("session_id", "seq"),
    CONSTRAINT "session_labels_seq_check" CHECK ("seq" >= 0),
    CONSTRAINT "session_labels_label_check" CHECK ("label" IN ('good', 'bad'))
);
CREATE INDEX "session_labels_project_id_label_labelled_at_idx" ON "session_labels"("project_id", "label", "labelled_at");
