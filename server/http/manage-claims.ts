// Claims belong to a config, hence to every environment of it (specs/prove.md).
import { Claim } from '@signalbox/wire'
import { z } from 'zod'
import { addClaim, type ClaimView, loadClaims, removeClaim } from '@/server/claims/claims.ts'
import { managed } from './manage-gate.ts'
import { jsonResponse } from './problem.ts'

const CLAIMS = '/api/manage/v1/configs/{ns}/{key}/claims'

const ListedClaim = Claim.extend({
  id: z.string(),
  sentence: z.string().describe('The question as a sentence; Markdown code spans mark names.'),
  author: z.string().nullable().describe('Name of the user or key; null if deleted.'),
  created_at: z.int().describe('Epoch milliseconds.'),
})

const EXAMPLE_CLAIM: z.infer<typeof Claim> = {
  question: { ask: 'run_without', tool: 'deploy', needs: 'run_tests' },
  expect: 'never',
}

const EXAMPLE: z.infer<typeof ListedClaim> = {
  ...EXAMPLE_CLAIM,
  id: 'clm_01JB2Q3V4W5X6Y7Z8A9B0C1D2E',
  sentence: 'Can `deploy` run without `run_tests`?',
  author: 'Ana',
  created_at: 1_795_000_000_000,
}

function toClaim({ id, question, expect, sentence, author, createdAt }: ClaimView) {
  return { id, question, expect, sentence, author, created_at: createdAt }
}

export const CLAIM_ENDPOINTS = [
  managed(
    {
      method: 'GET',
      path: CLAIMS,
      group: 'Configs',
      summary: 'List claims',
      description: 'Lists what must hold for every run of each version, oldest first.',
      scope: 'read',
      answers: {
        200: {
          description: 'All of them.',
          schema: z.object({ rows: z.array(ListedClaim), next: z.null() }),
          example: { rows: [EXAMPLE], next: null },
        },
      },
    },
    async ({ scope, parameters: prompt }) =>
      jsonResponse({ rows: (await loadClaims(scope, prompt)).map(toClaim), next: null }),
  ),
  managed(
    {
      method: 'POST',
      path: CLAIMS,
      group: 'Configs',
      summary: 'Add a claim',
      description:
        'Every later publication and promotion is refused while the claim is broken. Adding the same claim again returns the first one.',
      scope: 'publish',
      body: { schema: Claim, example: EXAMPLE_CLAIM },
      answers: {
        201: {
          description: 'The claim.',
          schema: z.object({ id: z.string() }),
          example: { id: EXAMPLE.id },
        },
        409: {
          description:
            'The config has the question as a claim with the other answer, or has nothing to ask about.',
        },
      },
    },
    async ({ scope, parameters: prompt, body }) =>
      jsonResponse(await addClaim(scope, { ...prompt, ...body }), { status: 201 }),
  ),
  managed(
    {
      method: 'DELETE',
      path: '/api/manage/v1/claims/{id}',
      group: 'Configs',
      summary: 'Remove a claim',
      description:
        'A claim protects every environment, so the config may be live in no other one than that of the key.',
      scope: 'publish',
      answers: { 204: { description: 'Done.' } },
    },
    async ({ scope, parameters: { id } }) => {
      await removeClaim(scope, id)
      return new Response(null, { status: 204 })
    },
  ),
]
