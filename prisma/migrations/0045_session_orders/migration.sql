-- expand: a table and a column with a default, which older builds ignore.
ALTER TABLE "runtimes" ADD COLUMN "takes_orders" BOOLEAN NOT NULL DEFAULT false;

-- Orders of people about running sessions (specs/session-control.md). The runtime's event says whether an order took effect.
CREATE TABLE "session_orders" (
    "session_id" TEXT NOT NULL,
    "counter" INTEGER NOT NULL,
    "project_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "runtime_id" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "ordered_by" TEXT NOT NULL,
    -- As the log and the agent's record name them, whoever they are called later.
    "ordered_name" TEXT NOT NULL,
    "ordered_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "recorded_seq" INTEGER,
    "recorded_at" TIMESTAMPTZ(3),

    CONSTRAINT "session_orders_pkey" PRIMARY KEY ("session_id", "counter"),
    CONSTRAINT "session_orders_action_check" CHECK ("action" IN ('pause', 'resume', 'end')),
    CONSTRAINT "session_orders_recorded_check" CHECK (("recorded_seq" IS NULL) = ("recorded_at" IS NULL))
);
CREATE INDEX "session_orders_runtime_id_expires_at_idx" ON "session_orders"("runtime_id", "expires_at");
CREATE INDEX "session_orders_project_id_idx" ON "session_orders"("project_id");
