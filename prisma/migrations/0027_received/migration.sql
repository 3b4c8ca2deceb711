-- When a refusal reached the server: alerts go by it where a runtime's clock is ahead. Rows that are there already came before now.
ALTER TABLE "stops" ADD COLUMN "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;
ALTER TABLE "denials" ADD COLUMN "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;
