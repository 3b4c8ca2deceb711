import path from 'node:path'
import { readTranscripts, replayTranscript } from '@signalbox/testkit'
import { AGENT_ANSWERS, AgentHealth, AgentSessionState, ProblemV1 } from '@signalbox/wire'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod/v4'
import { AgentLab, SECRETS } from './test/agent-lab.ts'

const FOLDER = path.join(import.meta.dirname, '../../../../specs/transcripts')

test.each(readTranscripts(FOLDER))('answers as the transcript "$title"', async (transcript) => {
  let approve = () => {}
  const approved = new Promise<void>((resolve) => {
    approve = resolve
  })
  const decide = async () => approved.then(() => ({ decision: 'approved' }) as const)
  const lab = await AgentLab.start(transcript.config, { approvals: { decide } })
  onTestFinished(() => lab.stop())
  const send = lab.send(transcript.over === 'tcp' ? SECRETS.all : null)
  const sent = new Set<string>()
  const found = await replayTranscript(transcript, async (request) => {
    const name = JSON.stringify(request)
    // The reviewer answers while the call is repeated.
    if (sent.has(name)) setTimeout(approve, 5)
    sent.add(name)
    const answer = await send(request)
    expect(isDescribed(request, answer), `${name} ${answer.body}`).toBe(true)
    return answer
  })
  expect(found, found.join('\n')).toEqual([])
})

/** True if the answer has the form that the interface describes for this path and status. */
function isDescribed(
  { method, path: route }: { readonly method: string; readonly path: string },
  { status, body }: { readonly status: number; readonly body: string },
): boolean {
  const json: unknown = JSON.parse(body)
  if (status >= 400) return ProblemV1.safeParse(json).success
  if (method === 'GET') return GETS.some((schema) => schema.safeParse(json).success)
  const name = route.split('/').at(-1) ?? ''
  const answers = Object.entries(AGENT_ANSWERS).find(([post]) => post === name)?.[1] ?? {}
  const schema = new Map<string, z.ZodType>(Object.entries(answers)).get(`${status}`)
  return schema?.safeParse(json).success === true
}

const GETS = [AgentSessionState, AgentHealth, z.looseObject({ openapi: z.literal('3.1.0') })]
