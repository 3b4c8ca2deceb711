// Recorded once for all tests that need it.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, type Page } from '@playwright/test'
import { STORY_PROMPT, STORY_TEXT, sendLines, tellStory } from '@/bench/story-session.mjs'
import { IS_SOAK } from '@/scripts/soak-sample.mjs'
import { publishFirst } from './procedures.ts'
import { DATA_DIR, ORIGIN, secrets } from './product.ts'

export const EVENTS = IS_SOAK ? 50_000 : 6_000
const NOTED = path.join(DATA_DIR, 'long-session.json')

export interface LongSession {
  readonly id: string
  readonly events: number
}

export async function longSession(page: Page): Promise<LongSession> {
  // Written below.
  if (existsSync(NOTED)) return JSON.parse(readFileSync(NOTED, 'utf8')) as LongSession
  await publishFirst(page, STORY_PROMPT, { text: STORY_TEXT, note: 'The rules of the story' })
  const { id, lines } = await tellStory({ events: EVENTS })
  await sendLines({ url: ORIGIN, key: secrets().demoKey }, lines)
  expect(lines.length).toBeGreaterThanOrEqual(EVENTS)
  const made = { id, events: lines.length }
  writeFileSync(NOTED, JSON.stringify(made))
  return made
}
