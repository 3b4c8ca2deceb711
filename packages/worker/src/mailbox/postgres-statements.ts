// One table for all mailboxes of a database, found through search_path. The database's clock decides every lease.

/** Notifies receivers that a message may be available; the payload is the mailbox's name. */
export const CHANNEL = 'signalbox_mailbox'

/**
 * Idempotent, and safe when several processes start at once, which CREATE … IF NOT EXISTS alone is not: one simple query is one
 * transaction. `visible_at` is the time of the next possible delivery; while a message is leased, the end of the lease. Bodies are `json`,
 * because `jsonb` changes numbers and rejects the NUL character.
 */
export const INSTALL = `
SELECT pg_advisory_xact_lock(hashtext('signalbox_mailbox'));
CREATE TABLE IF NOT EXISTS signalbox_mailbox (
  seq bigint GENERATED ALWAYS AS IDENTITY,
  id text PRIMARY KEY,
  mailbox text NOT NULL,
  body json NOT NULL,
  reply_to text,
  in_reply_to text,
  visible_at timestamptz NOT NULL DEFAULT now(),
  receipt uuid,
  delivery_count integer NOT NULL DEFAULT 0,
  error text,
  dead_at timestamptz
);
CREATE INDEX IF NOT EXISTS signalbox_mailbox_live ON signalbox_mailbox (mailbox, visible_at, seq) WHERE dead_at IS NULL;
CREATE INDEX IF NOT EXISTS signalbox_mailbox_dead ON signalbox_mailbox (mailbox, dead_at, seq) WHERE dead_at IS NOT NULL;`

const HELD = 'id = $1 AND receipt = $2 AND visible_at > now()'

export const SEND = `
WITH sent AS (
  INSERT INTO signalbox_mailbox (id, mailbox, body, reply_to, in_reply_to) VALUES ($1, $2, $3, $4, $5)
)
SELECT pg_notify('${CHANNEL}', $2)`

export const TAKE = `
WITH due AS (
  SELECT id, seq, visible_at FROM signalbox_mailbox
  WHERE mailbox = $1 AND dead_at IS NULL AND visible_at <= now()
  ORDER BY visible_at, seq LIMIT $2 FOR UPDATE SKIP LOCKED
), taken AS (
  UPDATE signalbox_mailbox AS message
  SET receipt = gen_random_uuid(), delivery_count = delivery_count + 1, visible_at = now() + make_interval(secs => $3)
  FROM due WHERE message.id = due.id
  RETURNING message.*, due.visible_at AS waiting_since
)
SELECT id, body::text AS json, reply_to, in_reply_to, receipt, delivery_count FROM taken ORDER BY waiting_since, seq`

/** Milliseconds until a message is due, negative if it is overdue; null: no message. */
export const UNTIL_NEXT = `
SELECT (extract(epoch FROM min(visible_at) - now()) * 1000)::float8 AS ms
FROM signalbox_mailbox WHERE mailbox = $1 AND dead_at IS NULL`

export const ACKNOWLEDGE = `DELETE FROM signalbox_mailbox WHERE ${HELD}`

export const NACK = `
WITH given AS (
  UPDATE signalbox_mailbox SET receipt = NULL, visible_at = now() + make_interval(secs => $3)
  WHERE ${HELD} RETURNING mailbox
)
SELECT pg_notify('${CHANNEL}', mailbox) FROM given`

export const EXTEND = `
UPDATE signalbox_mailbox SET visible_at = greatest(visible_at, now() + make_interval(secs => $3)) WHERE ${HELD}`

export const REPLY = `
WITH sent AS (
  INSERT INTO signalbox_mailbox (id, mailbox, body, in_reply_to)
  SELECT $3, reply_to, $4, id FROM signalbox_mailbox WHERE ${HELD} RETURNING mailbox
)
SELECT pg_notify('${CHANNEL}', mailbox) FROM sent`

export const DEAD_LETTER = `
UPDATE signalbox_mailbox SET receipt = NULL, error = $3, dead_at = now() WHERE ${HELD}`

export const COUNT = `
SELECT count(*)::int AS count FROM signalbox_mailbox WHERE mailbox = $1 AND dead_at IS NULL`

export const PURGE = 'DELETE FROM signalbox_mailbox WHERE mailbox = $1 AND dead_at IS NULL'

export const DEAD_LETTERS = `
SELECT id, body::text AS json, error, delivery_count, (extract(epoch FROM dead_at) * 1000)::float8 AS dead_at
FROM signalbox_mailbox WHERE mailbox = $1 AND dead_at IS NOT NULL ORDER BY dead_at, seq LIMIT $2`

export const REDRIVE = `
WITH redriven AS (
  UPDATE signalbox_mailbox SET dead_at = NULL, error = NULL, delivery_count = 0, visible_at = now()
  WHERE mailbox = $1 AND id = $2 AND dead_at IS NOT NULL RETURNING mailbox
)
SELECT pg_notify('${CHANNEL}', mailbox) FROM redriven`
