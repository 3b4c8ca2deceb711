// @ts-check
// Fills a new control plane with months of a team's use, in minutes:
//   node bench/seed-scale.mjs --url http://127.0.0.1:3000 --data <its data folder> [--events 10000000] [--sessions 100000] [--days 60]
// Records some hundred sessions through the ingest that runtimes use. The database multiplies them (copied-sessions.mjs lists what a copy
// shares with its template).
import fs from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { celExpressions } from '@signalbox/core/expression'
import { createGuardrails } from '@signalbox/runtime'
import { fakeClock, Story } from '@signalbox/testkit'
import { newId } from '@signalbox/wire'
import pg from 'pg'
import { startEmbedded } from '../server/platform/db/embedded.mjs'
import { copySessions } from './copied-sessions.mjs'
import { signedIn } from './product.mjs'
import { sendLines } from './story-session.mjs'
import { buildVersions, publishVersions } from './story-versions.mjs'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const TEMPLATES = 240
const RUNTIMES = 1_000
const DRAFTS = 192
const RELEASES = 2_000
const ALERTS = 5_000
const AUDIT_ENTRIES = 20_000
const PROMPTS = [
  ...['billing/coder', 'billing/reviewer', 'support/triage', 'support/refunds'],
  ...['ops/deployer', 'ops/oncall', 'data/analyst', 'docs/writer'],
].map((name) => ({ ns: name.split('/')[0] ?? '', key: name.split('/')[1] ?? '' }))

/** A number from 0 to 1, the same for the same `n` and `salt`. @param {number} n @param {number} salt */
function chance(n, salt) {
  let mixed = Math.imul(n + 1, 0x9e3779b1) ^ Math.imul(salt + 1, 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d)
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39)
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 4_294_967_296
}

/**
 * Stops the story after `events` events; it would continue to the end of its turn.
 * @param {number} events
 * @param {Story} story
 * @param {any} session
 */
async function toldUpTo(events, story, session) {
  const enough = new Error('enough')
  const counted = new Proxy(session, {
    get: (target, name) => {
      const member = Reflect.get(target, name, target)
      if (typeof member !== 'function') return member
      return async (/** @type {unknown[]} */ ...given) => {
        if (session.state.seq >= events) throw enough
        return await Reflect.apply(member, target, given)
      }
    },
  })
  await story.tell(counted, events).catch((/** @type {unknown} */ error) => {
    if (error !== enough) throw error
  })
}

/**
 * Template `index`, on a day of its own more than a year ago. Lengths are distributed as in real sessions: many short, few long.
 * @param {number} index @param {number} mean mean number of events per session
 */
async function tell(index, mean) {
  /** @type {string[]} */
  const lines = []
  const prompt = PROMPTS[index % PROMPTS.length] ?? PROMPTS[0]
  if (prompt === undefined) throw new Error('no prompt')
  const [first, second] = buildVersions(prompt)
  const at =
    Math.floor(Date.now() / DAY) * DAY - (400 + index) * DAY + Math.floor(chance(index, 0) * HOUR)
  const clock = fakeClock(at)
  const story = new Story({ seed: index + 1, clock })
  const guardrails = createGuardrails({
    config: chance(index, 1) < 0.6 ? first : second,
    expressions: celExpressions(),
    now: clock.now,
    onEvent: (/** @type {string} */ line) => lines.push(line),
  })
  const session = guardrails.openSession({
    files: story.files,
    workspaceRoot: '/shop',
    deadlineAt: at + (index % 3 === 0 ? 5 : 45) * 60_000,
  })
  const events = Math.max(12, Math.round(-Math.log(1 - (index + 0.5) / TEMPLATES) * mean))
  await toldUpTo(events, story, session)
  const reason = index % 9 === 0 ? 'aborted' : index % 13 === 0 ? 'failed' : 'completed'
  if (index % 40 !== 7) await session.end({ reason })
  const { session: id } = JSON.parse(lines[0] ?? '{}')
  const { at: last } = JSON.parse(lines.at(-1) ?? '{}')
  // Excludes the events that closing adds to a session without an end.
  const recorded = lines.slice()
  await guardrails.close()
  if (last >= Math.floor(at / DAY) * DAY + DAY)
    throw new Error('A template is longer than a day: ask for fewer events in a session.')
  return { id: String(id), at, lines: recorded }
}

/** @param {Awaited<ReturnType<typeof signedIn>>} admin */
async function addDrafts(admin) {
  for (let n = 0; n < DRAFTS; n += 1) {
    const prompt = { ns: `team-${n % 12}`, key: `agent-${n}` }
    const [text] = buildVersions(prompt).map((version) => JSON.stringify(version, null, 2))
    await admin.tell('configs.create', { ...prompt, text })
  }
}

/** @param {pg.Client} db @param {string} project */
async function addReleases(db, project) {
  await db.query(
    `WITH places AS (
       SELECT e.id AS environment, c.id AS config, v.id AS version, o.id AS other, v.number,
         row_number() OVER (PARTITION BY e.id ORDER BY v.number, c.id) AS place, count(*) OVER (PARTITION BY e.id) AS places
       FROM environments e CROSS JOIN configs c JOIN config_versions v ON v.config_id = c.id
       JOIN config_versions o ON o.config_id = c.id AND o.number <> v.number
       WHERE e.project_id = $1 AND e.name <> 'dev' AND c.project_id = $1)
     INSERT INTO releases (id, project_id, environment_id, config_id, version_id, previous_version_id, kind, revision, note, author_id, created_at)
     SELECT 'rel_' || upper(left(md5(environment || n), 26)), $1, environment, config, version, other,
       (CASE WHEN number = 1 AND n > places THEN 'rollback' ELSE 'promote' END)::release_kind, n, 'Release ' || n,
       (SELECT author_id FROM releases LIMIT 1), now() - make_interval(secs => (${RELEASES / 2} - n) * 5184)
     FROM places JOIN generate_series(1, ${RELEASES / 2}) AS n ON n % places = place - 1`,
    [project],
  )
  await db.query(
    `INSERT INTO environment_pointers (environment_id, config_id, version_id, release_id)
     SELECT DISTINCT ON (environment_id, config_id) environment_id, config_id, version_id, id FROM releases
     WHERE project_id = $1 ORDER BY environment_id, config_id, revision DESC ON CONFLICT DO NOTHING`,
    [project],
  )
  await db.query(
    `UPDATE environments e SET revision = (SELECT max(revision) FROM releases r WHERE r.environment_id = e.id)
     WHERE e.project_id = $1`,
    [project],
  )
}

/** Adds alerts of 20 rules, which are disabled so that no job judges them, with a message each. @param {pg.Client} db @param {string} project */
async function addAlerts(db, project) {
  await db.query(
    `INSERT INTO alert_rules (id, project_id, name, signal, window_minutes, threshold, enabled, destinations, created_by)
     SELECT 'alr_' || lpad(n::text, 26, '0'), $1, 'Rule ' || n, 'denial_rate', 15, 5, false, '[]', 'usr_1'
     FROM generate_series(1, 20) AS n`,
    [project],
  )
  await db.query(
    `WITH fired AS (
       INSERT INTO alerts (id, project_id, rule_id, scope, firing, fired_at, resolved_at, value, threshold, reason, evidence, muted)
       SELECT 'alt_' || lpad(n::text, 26, '0'), $1, 'alr_' || lpad((1 + n % 20)::text, 26, '0'),
         (ARRAY['dev', 'staging', 'production'])[1 + n % 3] || ' ' || ($2::text[])[1 + n % cardinality($2::text[])],
         CASE WHEN n > ${ALERTS} - 10 THEN true END, at, CASE WHEN n <= ${ALERTS} - 10 THEN at + interval '20 minutes' END,
         5 + n % 40, 5, '12% of the calls were denied in 15 minutes', '/decisions', n % 50 = 0
       FROM generate_series(1, ${ALERTS}) AS n
       CROSS JOIN LATERAL (SELECT now() - make_interval(secs => (${ALERTS} - n) * 1036) AS at) times RETURNING id, fired_at)
     INSERT INTO alert_deliveries (id, project_id, alert_id, event, kind, url, attempts, delivered_at, created_at)
     SELECT 'ald_' || substr(id, 5), $1, id, 'firing', 'webhook', 'https://hooks.example.com/signalbox', 1, fired_at, fired_at FROM fired`,
    [project, PROMPTS.map(formatName)],
  )
}

/** @param {(typeof PROMPTS)[number]} prompt */
const formatName = ({ ns, key }) => `${ns}/${key}`

/** Three in ten have stopped. @param {pg.Client} db @param {string} project */
async function addRuntimes(db, project) {
  const { rows } = await db.query(
    `INSERT INTO runtimes (id, project_id, environment, api_key_id, name, sdk_version, harness, prompts, capabilities, posture,
       registered_at, last_seen_at, applied_revision, applied_at, applied_source, stopped_at)
     SELECT 'rt_' || upper(lpad(to_hex(n), 26, '0')), $1, e.name, (SELECT id FROM api_keys WHERE project_id = $1 LIMIT 1),
       format('team-%s-worker-%s', n % 25, n), '0.1.0', '{"name":"story"}', ARRAY[($2::text[])[1 + n % cardinality($2::text[])]],
       '[]', 'last_known_good', now() - interval '60 days', seen, greatest(1, e.revision - n % 3), seen, 'server',
       CASE WHEN n % 10 < 3 THEN seen END
     FROM generate_series(1, ${RUNTIMES}) AS n
     CROSS JOIN LATERAL (SELECT now() - make_interval(mins => n) AS seen) times
     JOIN environments e ON e.project_id = $1 AND e.name = (ARRAY['dev', 'staging', 'production'])[1 + n % 3]
     RETURNING id`,
    [project, PROMPTS.map(formatName)],
  )
  return rows.map(({ id }) => String(id))
}

/** Adds two projects with the same environments; the administrator is not a member. @param {pg.Client} db @param {string} first */
async function addProjects(db, first) {
  const ids = [2, 3].map((n) =>
    newId('prj', { now: Date.now(), random: new Uint8Array(16).fill(n) }),
  )
  await db.query(
    `INSERT INTO projects (id, slug, name) SELECT id, 'team-' || n, 'Team ' || n FROM unnest($1::text[]) WITH ORDINALITY AS o(id, n)`,
    [ids],
  )
  await db.query(
    `INSERT INTO environments (id, project_id, name, position)
     SELECT 'env_' || substr(p, 5, 24) || e.position, p, e.name, e.position FROM unnest($1::text[]) AS p, environments e
     WHERE e.project_id = $2`,
    [ids, first],
  )
  return ids
}

/** @param {pg.Client} db @param {string} project */
async function addAuditEntries(db, project) {
  // A transaction assigns the places of its entries one after the other in one row, so many small ones are faster than a large one.
  for (let from = 1; from <= AUDIT_ENTRIES; from += 200)
    await db.query(
      `INSERT INTO audit_entries (id, project_id, at, actor_id, actor, action, target, before, after)
     SELECT 'aud_' || lpad(n::text, 26, '0'), $1, now() - make_interval(secs => (${AUDIT_ENTRIES} - n) * 250),
       'usr_' || n % 30, 'Person ' || n % 30, (ARRAY['draft.saved', 'release.published', 'key.created', 'member.changed'])[1 + n % 4],
       'cfg_' || n % 12, NULL, jsonb_build_object('revision', n)
     FROM generate_series($2::int, $2::int + 199) AS n`,
      [project, from],
    )
}

/**
 * @param {{ url: string, data: string, events: number, sessions: number, days: number, say?: (text: string) => void }} wanted
 * @returns {Promise<number>} events in the database
 */
export async function seedScale({ url, data, events, sessions, days, say = () => undefined }) {
  const secrets = JSON.parse(fs.readFileSync(path.join(data, 'secrets.json'), 'utf8'))
  const database = await startEmbedded({ dataDir: data })
  const connectionString = process.env['DATABASE_URL'] ?? database.url
  const db = new pg.Client({ connectionString })
  const second = new pg.Client({ connectionString })
  await Promise.all([db.connect(), second.connect()])
  try {
    const { rows: there } = await db.query('SELECT 1 FROM sessions LIMIT 1')
    if (there.length > 0) throw new Error('There are sessions already: seed an empty data folder.')
    const admin = await signedIn({ url, setupToken: secrets.setupToken })
    for (const prompt of PROMPTS) await publishVersions(admin, prompt)
    await addDrafts(admin)
    const { id: first } = await admin.ask('projects.current')
    const others = await addProjects(db, first)
    const templates = []
    for (let index = 0; index < TEMPLATES; index += 1)
      templates.push(await tell(index, events / sessions))
    say('generated')
    await sendLines(
      { url, key: secrets.demoKey },
      templates.flatMap(({ lines }) => lines),
    )
    say('recorded')
    await addReleases(db, first)
    await addAlerts(db, first)
    await addAuditEntries(db, first)
    const runtimes = await addRuntimes(db, first)
    const until = Math.floor(Date.now() / HOUR) - 3
    const copies = Array.from({ length: sessions }, (_, n) => {
      const template = templates[Math.floor(chance(n, 2) * TEMPLATES)] ?? templates[0]
      if (template === undefined) throw new Error('no template')
      const day = Math.floor(template.at / DAY) * 24
      const hours = until - days * 24 + Math.floor(((n + 0.5) / sessions) * days * 24) - day
      const share = chance(n, 3)
      return {
        from: template.id,
        to: newId('sess', {
          now: template.at + hours * HOUR,
          random: Uint8Array.from({ length: 16 }, (__, byte) => chance(n, 10 + byte) * 256),
        }),
        project: share < 0.9 ? first : (others[share < 0.95 ? 0 : 1] ?? first),
        environment: chance(n, 4) < 0.5 ? 'dev' : chance(n, 5) < 0.4 ? 'staging' : 'production',
        runtime: runtimes[Math.floor(chance(n, 6) * RUNTIMES)] ?? '',
        hours,
      }
    })
    return await copySessions([db, second], copies, say)
  } finally {
    await Promise.all([db.end(), second.end()])
  }
}

if (process.argv[1] === import.meta.filename) {
  const { values } = parseArgs({
    options: {
      url: { type: 'string', default: 'http://127.0.0.1:3000' },
      data: { type: 'string' },
      events: { type: 'string', default: '10000000' },
      sessions: { type: 'string', default: '100000' },
      days: { type: 'string', default: '60' },
    },
  })
  if (values.data === undefined) {
    console.error('Specify the data folder of the control plane with --data <folder>.')
    process.exit(2)
  }
  const began = performance.now()
  const say = (/** @type {string} */ text) =>
    console.log(`${((performance.now() - began) / 1000).toFixed(0).padStart(5)} s  ${text}`)
  const [events, sessions, days] = [values.events, values.sessions, values.days].map(Number)
  const stored = await seedScale({
    url: values.url,
    data: values.data,
    say,
    events: events ?? 0,
    sessions: sessions ?? 0,
    days: days ?? 0,
  })
  say(`${sessions} sessions, ${stored.toLocaleString('en')} events over ${days} days`)
}
