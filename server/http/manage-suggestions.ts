// A key belongs to an environment, and reads and learns what was recorded there. A dismissal holds everywhere (specs/suggestions.md).
import type { Tested } from '@signalbox/core/learn'
import { type ManagedSuggestion, ManagedSuggestions } from '@signalbox/wire'
import { z } from 'zod'
import { DismissInput, TakeRulesInput } from '@/server/suggestions/suggestion-input.ts'
import {
  cancelLearning,
  dismissSuggestion,
  loadSuggestions,
  requirePrompt,
  restoreSuggestion,
  type SuggestedRule,
  type Suggestions,
  startLearning,
  takeSuggestions,
} from '@/server/suggestions/suggestions.ts'
import { managed } from './manage-gate.ts'
import { jsonResponse } from './problem.ts'

const CONFIG = '/api/manage/v1/configs/{ns}/{key}'
const PLACE = { ns: true, key: true, environment: true } as const
const NONE = { sessions: 21, denied: 0, denied_sessions: [], cannot_replay: 0 }
const EXAMPLE: ManagedSuggestions = {
  ...{ status: 'done', error: null, sessions: 330, sessions_read: 330 },
  ...{ searched_at: 1_795_000_000_000, good_sessions: 299, bad_sessions: 9, version: 4 },
  rules: [
    {
      ...{ id: '997a33866d30cebc', kind: 'order', group: 'guard', state: 'open' },
      sentence: '`deploy` ran only after `run_tests` had succeeded',
      evidence:
        'Held in all 21 good sessions (31% expected by chance). Broken in 6 of 9 bad sessions.',
      pointer: '/policies/-',
      rule: {
        id: 'deploy-after-run-tests',
        type: 'sequential_dependency',
        dependencies: { deploy: ['run_tests'] },
        mode: 'shadow',
      },
      good: NONE,
      bad: {
        ...{ sessions: 9, denied: 6, cannot_replay: 0 },
        denied_sessions: ['sess_01JB2Q3V4W5X6Y7Z8A9B0C1D2E'],
      },
    },
  ],
  ...{ refused: [], together: null, dismissed: [] },
}

function toTested({ deniedSessions, cannotReplay, ...rest }: Tested) {
  return { ...rest, denied_sessions: [...deniedSessions], cannot_replay: cannotReplay }
}

function toSuggestion(found: SuggestedRule): ManagedSuggestion {
  const { id, kind, group, state, sentence, evidence, placed, good, bad } = found
  const { pointer, rule } = placed
  const tested = { good: toTested(good), bad: toTested(bad) }
  return {
    ...{ id, kind, group, state, sentence, evidence, pointer },
    rule: { ...rule },
    ...tested,
  }
}

function toManaged({ run, sample, rules, refused, dismissed }: Suggestions): ManagedSuggestions {
  const together = sample?.together ?? null
  return {
    ...{ status: run?.status ?? null, error: run?.error ?? null },
    ...{ sessions: run?.sessionsFound ?? null, sessions_read: run?.sessionsRead ?? 0 },
    ...{ searched_at: sample?.at ?? null, version: sample?.version ?? null },
    ...{ good_sessions: sample?.good ?? null, bad_sessions: sample?.bad ?? null },
    rules: rules.map(toSuggestion),
    refused: refused.map(toSuggestion),
    together: together && {
      good: toTested(together.good),
      problems: [...together.problems],
      is_trap: together.isTrap,
    },
    dismissed: [...dismissed],
  }
}

const Prompt = z.object({ ns: z.string(), key: z.string() })
const PROMPT = { ns: 'support/triage', key: 'answer' }

export const SUGGESTION_ENDPOINTS = [
  managed(
    {
      method: 'GET',
      path: `${CONFIG}/suggestions`,
      group: 'Configs',
      summary: 'Read suggested rules',
      description:
        'Rules that the good sessions of the prompt have in common, as the newest search found them. The prompt needs no config.',
      scope: 'sessions:read',
      answers: {
        200: { description: 'The rules.', schema: ManagedSuggestions, example: EXAMPLE },
      },
    },
    async ({ scope, parameters: prompt }) => {
      const { environment } = scope
      await requirePrompt(scope, { ...prompt, environment })
      return jsonResponse(toManaged(await loadSuggestions(scope, { ...prompt, environment })))
    },
  ),
  managed(
    {
      method: 'POST',
      path: `${CONFIG}/suggestions/search`,
      group: 'Configs',
      summary: 'Search for rules in recorded sessions',
      description: 'Only sessions that no earlier search counted are read. No config changes.',
      scope: 'publish',
      answers: {
        201: {
          description: 'The search, or one that is not over.',
          schema: z.object({ id: z.string() }),
          example: { id: 'lrn_01JB2Q3V4W5X6Y7Z8A9B0C1D2E' },
        },
      },
    },
    async ({ scope, parameters: prompt }) => {
      const { environment } = scope
      return jsonResponse(await startLearning(scope, { ...prompt, environment }), { status: 201 })
    },
  ),
  managed(
    {
      method: 'POST',
      path: `${CONFIG}/suggestions/cancel`,
      group: 'Configs',
      summary: 'Cancel a search for rules',
      description: 'The rules that an earlier search found stay.',
      scope: 'publish',
      answers: {
        200: {
          description: 'It is over.',
          schema: z.object({ cancelled: z.boolean().describe('False: it was over before.') }),
          example: { cancelled: true },
        },
      },
    },
    async ({ scope, parameters: prompt }) => {
      const { environment } = scope
      const { ok } = await cancelLearning(scope, { ...prompt, environment })
      return jsonResponse({ cancelled: ok })
    },
  ),
  managed(
    {
      method: 'POST',
      path: `${CONFIG}/suggestions/take`,
      group: 'Configs',
      summary: 'Take suggested rules',
      description: 'Adds the rules to the draft. A prompt without a config gets one with a draft.',
      scope: 'publish',
      body: {
        schema: TakeRulesInput.omit(PLACE).strict(),
        example: { ids: ['997a33866d30cebc'], mode: 'shadow' },
      },
      answers: {
        200: { description: 'The draft has the rules.', schema: Prompt, example: PROMPT },
        409: {
          description: 'The draft has errors, has the rules already, or was saved meanwhile.',
        },
      },
    },
    async ({ scope, parameters: prompt, body }) => {
      const { environment } = scope
      return jsonResponse(await takeSuggestions(scope, { ...prompt, environment, ...body }))
    },
  ),
  managed(
    {
      method: 'POST',
      path: `${CONFIG}/suggestions/{id}/dismiss`,
      group: 'Configs',
      summary: 'Dismiss a suggested rule',
      description: 'No later search suggests it, in any environment, until it is restored.',
      scope: 'publish',
      body: {
        schema: DismissInput.omit({ ...PLACE, id: true }).strict(),
        example: { reason: 'The pipeline tests before it deploys.' },
      },
      answers: { 204: { description: 'Done.' } },
    },
    async ({ scope, parameters: { id, ...prompt }, body }) => {
      const { environment } = scope
      await dismissSuggestion(scope, { ...prompt, environment, id, ...body })
      return new Response(null, { status: 204 })
    },
  ),
  managed(
    {
      method: 'POST',
      path: `${CONFIG}/suggestions/{id}/restore`,
      group: 'Configs',
      summary: 'Restore a dismissed rule',
      description: 'Searches can suggest it again.',
      scope: 'publish',
      answers: { 204: { description: 'Done.' } },
    },
    async ({ scope, parameters: { id, ...prompt } }) => {
      const { environment } = scope
      await restoreSuggestion(scope, { ...prompt, environment, id })
      return new Response(null, { status: 204 })
    },
  ),
]
