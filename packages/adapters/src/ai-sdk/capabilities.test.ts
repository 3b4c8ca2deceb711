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

test('the AI SDK profile lists no gap when every tool is governed', () => {
  for (const profile of [aiSdkProfile, aiSdk6Profile])
    expect(ungoverned(profile, { ...own, ...shell })).toEqual([])
  expect(ungoverned(aiSdkProfile, asking)).toEqual([])
})

test('the AI SDK profile names the tools that the provider runs as a gap', () => {
  for (const profile of [aiSdkProfile, aiSdk6Profile])
    expect(ungoverned(profile, { ...own, ...searching })).toEqual([
      'tools that the provider runs itself (search)',
    ])
})

test('the AI SDK 6 profile names the tools without execute, which it cannot refuse', () => {
  expect(ungoverned(aiSdk6Profile, { ...asking, ...own })).toEqual([
    'tools without `execute`: evaluated, but the application can run them despite a denial (ask_user)',
  ])
})

test('the AI SDK profile summarizes a very long list of ungoverned tools', () => {
  const many = Object.fromEntries(
    Array.from({ length: 40 }, (_, n) => [`search_${n}`, searching['search'] ?? {}]),
  ) as ToolSet
  expect(ungoverned(aiSdkProfile, many)).toEqual(['tools that the provider runs itself'])
})
