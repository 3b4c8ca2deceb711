// Records the tools of a session that its guardrails do not govern.
import type { ToolSet } from 'ai'
import { expect, test } from 'vitest'
import * as z from 'zod/v4'
import { aiSdk6Profile, aiSdkProfile } from './capabilities.ts'

const inputSchema = z.object({})
const execute = async () => 'done'
const own: ToolSet = { lint: { inputSchema, execute } }
const asking: ToolSet = { ask_user: { inputSchema } }
const provider = { type: 'provider', id: 'a.search', args: {}, inputSchema } as const
const searching: ToolSet = { search: { ...provider, isProviderExecuted: true } }
const shell: ToolSet = { bash: { ...provider, isProviderExecuted: false, execute } }

const ungoverned = (profile: typeof aiSdkProfile, tools: ToolSet) =>
  profile(tools).capabilities.ungoverned

test('a session with only governed tools has no gap', () => {
  for (const profile of [aiSdkProfile, aiSdk6Profile])
    expect(ungoverned(profile, { ...own, ...shell })).toEqual([])
  expect(ungoverned(aiSdkProfile, asking)).toEqual([])
})

test('tools that the provider runs are named', () => {
  for (const profile of [aiSdkProfile, aiSdk6Profile])
    expect(ungoverned(profile, { ...own, ...searching })).toEqual([
      'tools that the provider runs itself (search)',
    ])
})

test('tools without a function are named for version 6, which cannot refuse them', () => {
  expect(ungoverned(aiSdk6Profile, { ...asking, ...own })).toEqual([
    'tools without `execute`: evaluated, but the application can run them despite a denial (ask_user)',
  ])
})

test('a very long list of tools is summarized', () => {
  const many = Object.fromEntries(
    Array.from({ length: 40 }, (_, n) => [`search_${n}`, searching['search'] ?? {}]),
  ) as ToolSet
  expect(ungoverned(aiSdkProfile, many)).toEqual(['tools that the provider runs itself'])
})
