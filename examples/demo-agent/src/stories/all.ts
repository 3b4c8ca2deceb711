import type { Story } from '../script/story.ts'
import { CODING_AGENT } from './coding-agent.ts'
import { RELEASE_NOTES } from './release-notes.ts'
import { SUPPORT_TRIAGE } from './support-triage.ts'

/** By the key of the config in the namespace `demo`. */
export const STORIES = {
  'release-notes': RELEASE_NOTES,
  'coding-agent': CODING_AGENT,
  'support-triage': SUPPORT_TRIAGE,
} as const satisfies Readonly<Record<string, Story>>

export type StoryName = keyof typeof STORIES

export function isStoryName(name: string): name is StoryName {
  return Object.hasOwn(STORIES, name)
}
