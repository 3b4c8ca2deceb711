import { gzipSync } from 'node:zlib'
import { celExpressions } from '@signalbox/core/expression'
import { createGuardrails } from '@signalbox/runtime'
import { fakeClock, STORY_CONFIG, Story } from '@signalbox/testkit'
import { sendEvents } from './recorded-session.mjs'

export const STORY_PROMPT = { ns: STORY_CONFIG.ns, key: STORY_CONFIG.key }
export const STORY_TEXT = JSON.stringify(STORY_CONFIG, null, 2)

/** Mean story time per event with a margin, so that a session ends in the past when it is sent. */
const MEAN_EVENT_MS = 5_000
const BATCH = 5_000

const opening = (story) => ({ files: story.files, workspaceRoot: '/shop', tags: { story: 'told' } })

/** Publishes the story's config to dev, unless an earlier run did. `admin`: result of `signedIn` in product.mjs. */
export async function publishStory(admin) {
  try {
    await admin.tell('configs.create', { ...STORY_PROMPT, text: STORY_TEXT })
  } catch (error) {
    if (String(error).includes(': 409 ')) return
    throw error
  }
  const { draft } = await admin.ask('drafts.open', STORY_PROMPT)
  const subject = { ...STORY_PROMPT, draftId: draft.id, revision: draft.revision }
  const note = 'The rules of the story'
  await admin.tell('releases.publish', { ...subject, note, environment: 'dev' })
}

/** @returns {Promise<{ id: string, lines: string[] }>} at least `events` events; the last one ends the session */
export async function tellStory({ seed = 1, events }) {
  const lines = []
  const clock = fakeClock(Date.now() - events * MEAN_EVENT_MS)
  const story = new Story({ seed, clock })
  const guardrails = createGuardrails({
    config: STORY_CONFIG,
    expressions: celExpressions(),
    now: clock.now,
    onEvent: (line) => lines.push(line),
  })
  const session = guardrails.openSession(opening(story))
  await story.tell(session, events - 1)
  await session.end({ reason: 'completed' })
  await guardrails.close()
  return { id: JSON.parse(lines[0]).session, lines }
}

export async function sendLines({ url, key }, lines) {
  for (let from = 0; from < lines.length; ) {
    const batch = lines.slice(from, from + BATCH)
    const stored = await sendEvents(url, gzipSync(`${batch.join('\n')}\n`, { level: 1 }), key)
    if (stored === 0) await new Promise((resolve) => setTimeout(resolve, 500))
    from += stored === 0 ? 0 : batch.length
  }
}

/** Same value as in packages/runtime/src/control-plane/uploader.ts. */
const GATHER_MS = 50
/** Milliseconds after which a late generator yields to the sender. */
const YIELD_AFTER_MS = 20

function paced(session, { perSecond, wait }) {
  const started = performance.now()
  let yieldedAt = started
  const isDue = () => session.state.seq < ((performance.now() - started) / 1000) * perSecond
  return new Proxy(session, {
    get: (target, name) => {
      const member = Reflect.get(target, name, target)
      if (typeof member !== 'function') return member
      return async (...given) => {
        // Also yields when the generator cannot keep up: its events would not be sent, and nothing could end it.
        while (!isDue() || performance.now() - yieldedAt > YIELD_AFTER_MS) {
          await wait()
          yieldedAt = performance.now()
        }
        return await Reflect.apply(member, target, given)
      }
    },
  })
}

/** Ends the session when `signal` aborts. `onSent`: newest sequence number, time of sending (epoch ms), and lines of each batch. */
export async function liveStory({ url, key, seed = 2, perSecond, signal, onSent }) {
  const waiting = []
  const story = new Story({ seed, clock: { now: Date.now, advance: () => undefined } })
  const guardrails = createGuardrails({
    config: STORY_CONFIG,
    expressions: celExpressions(),
    onEvent: (line) => waiting.push(line),
  })
  const session = guardrails.openSession(opening(story))
  const send = async () => {
    const lines = waiting.splice(0)
    if (lines.length === 0) return
    const at = Date.now()
    await sendLines({ url, key }, lines)
    const { session: id, seq } = JSON.parse(lines.at(-1))
    onSent?.({ id, seq, at, lines })
  }
  let isTold = false
  const pause = (ms = 5) => new Promise((resolve) => setTimeout(resolve, ms))
  // Like the runtime's uploader: one batch after the other; after a pause, it gathers the first event with those that follow.
  const sending = (async () => {
    while (!isTold) {
      while (waiting.length === 0 && !isTold) await pause()
      await pause(GATHER_MS)
      while (waiting.length > 0) await send()
    }
  })()
  const wait = async () => {
    signal.throwIfAborted()
    await pause()
  }
  try {
    await story.tell(paced(session, { perSecond, wait }), Number.POSITIVE_INFINITY)
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    isTold = true
  }
  await sending
  await session.end({ reason: 'completed' })
  await send()
  await guardrails.close()
}
