// OpenAPI 3.1 document of the agent protocol, from the schemas that the daemon enforces.
import type { JsonObject } from '@signalbox/core'
import * as z from 'zod/v4'
import {
  AGENT_ANSWERS,
  AGENT_BODIES,
  AgentHealth,
  type AgentPost,
  AgentSessionState,
} from './agent-v1.ts'
import { ProblemV1 } from './runtime-v1.ts'

const BASE = '/agent/v1'

const SUMMARIES: { readonly [post in AgentPost]: string } = {
  sessions: 'Open a session',
  'before-tool': 'Ask whether a tool may run',
  'after-tool': 'Report the result of a call',
  stop: 'Ask whether the agent may stop',
  plan: 'Replace the plan',
  usage: 'Report the usage of a model evaluation',
  note: 'Add a note to the log',
  beat: 'Keep a silent session open',
  facts: 'Answer facts that a decision needs',
  end: 'End the session',
}

export function agentOpenApi(version: string): JsonObject {
  const posts = Object.entries(AGENT_BODIES).map(([name, body]) => {
    // The keys of AGENT_BODIES are the posts.
    const post = name as AgentPost
    const path = post === 'sessions' ? `${BASE}/sessions` : `${BASE}/sessions/{id}/${post}`
    return [path, { post: describeOperation(SUMMARIES[post], AGENT_ANSWERS[post], body) }] as const
  })
  const gets = [
    [`${BASE}/sessions/{id}`, 'Show the state of a session', AgentSessionState],
    [`${BASE}/health`, 'Show that the daemon answers', AgentHealth],
    [`${BASE}/openapi.json`, 'Show this document', z.looseObject({})],
  ] as const
  const paths = [
    ...posts,
    ...gets.map(([path, summary, answer]) => [
      path,
      { get: describeOperation(summary, { 200: answer }) },
    ]),
  ]
  return {
    openapi: '3.1.0',
    info: { title: 'Signalbox agent protocol', version },
    paths: Object.fromEntries(
      paths.map(([path, item]) => [path, { ...parametersIn(String(path)), ...Object(item) }]),
    ),
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  }
}

function parametersIn(path: string): JsonObject {
  if (!path.includes('{id}')) return {}
  return {
    parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
  }
}

function describeOperation(
  summary: string,
  answers: { readonly [status: number]: z.ZodType },
  body?: z.ZodType,
): JsonObject {
  const responses = Object.entries(answers).map(([status, schema]) => [
    status,
    { description: summary, content: { 'application/json': { schema: toJsonSchema(schema) } } },
  ])
  const problem = { 'application/problem+json': { schema: toJsonSchema(ProblemV1) } }
  return {
    summary,
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: toJsonSchema(body) } },
          },
        }),
    responses: {
      ...Object.fromEntries(responses),
      default: { description: 'Refused', content: problem },
    },
    security: [{}, { token: [] }],
  }
}

function toJsonSchema(schema: z.ZodType): JsonObject {
  const { $schema, ...rest } = z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' })
  // A JSON Schema is JSON.
  return rest as JsonObject
}
