import type { JsonObject } from '@signalbox/core'
import { expect, test } from 'vitest'
import { STORIES as AGENT_STORIES } from '@/examples/demo-agent/src/stories/all.ts'
import { enforceRules } from '@/server/configs/config-templates.ts'
import { TEMPLATES } from '@/server/configs/templates/all.ts'
import { STORIES } from './demo-input.ts'
import { readStoryConfig } from './story-configs.ts'

test('each story of the console is one of the agent, with a config', async () => {
  expect([...STORIES].sort()).toEqual(Object.keys(AGENT_STORIES).sort())
  for (const story of STORIES) {
    const config = await readStoryConfig(story)
    expect(config?.document).toMatchObject({ ns: 'demo', key: story })
  }
})

const listPolicies = (document: JsonObject | undefined): readonly unknown[] =>
  Array.isArray(document?.['policies']) ? document['policies'] : []

test.each(['coding-agent', 'support-triage'] as const)(
  'the config of the story %s enforces every rule of its template',
  async (story) => {
    const config = await readStoryConfig(story)
    const template = enforceRules(TEMPLATES[story].config)
    // A reviewer of the demo has seconds, not an hour.
    const patient = listPolicies(config?.document).map((policy) =>
      JSON.parse(JSON.stringify(policy).replace('"timeout_seconds":6', '"timeout_seconds":3600')),
    )
    expect(patient).toEqual(expect.arrayContaining([...listPolicies(template)]))
    // The demo's agent has a tool that runs the tests.
    const check = JSON.stringify(config?.document['task_completion_checker'])
    expect(JSON.parse(check.replace('"tool":"run_tests"', '"tool":"shell"'))).toEqual(
      template['task_completion_checker'],
    )
    expect(config?.document['feedback_providers']).toEqual(template['feedback_providers'])
  },
)
