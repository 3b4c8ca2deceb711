-- Which check refused a stop, so that refusals of one session can be told apart by check. Stops of before are told apart by their reason.
ALTER TABLE "stops" ADD COLUMN "checker" TEXT;
-- Calls that could not be evaluated are few, and the Overview asks for the newest of them.
CREATE INDEX "denials_errors_idx" ON "denials"("project_id", "at" DESC, "id" DESC) WHERE "decision" = 'error';
