// A tool's own `needsApproval` remains in effect: the AI SDK does not call it once a toolApproval function is given.
import type { ToolSet } from 'ai'
import type { RequestedCall } from './step-guard.ts'

export type Approval =
  | undefined
  | 'user-approval'
  | { readonly type: 'denied'; readonly reason: string }

export interface OwnApprovalRequest {
  readonly toolCall: RequestedCall
  readonly toolsContext?: unknown
  readonly messages?: unknown
}

/** undefined: the tool asks for no approval. A `needsApproval` that throws denies. */
export async function ownApproval(
  tool: ToolSet[string] | undefined,
  { toolCall, toolsContext, messages }: OwnApprovalRequest,
): Promise<Approval> {
  const needs: unknown = tool?.needsApproval
  if (typeof needs !== 'function') return needs === true ? 'user-approval' : undefined
  try {
    const context = findToolContext(toolsContext, toolCall.toolName)
    const { toolCallId } = toolCall
    const answer: unknown = await needs(toolCall.input, { toolCallId, messages, context })
    return answer === false ? undefined : 'user-approval'
  } catch {
    return {
      type: 'denied',
      reason: 'Whether this call needs approval could not be decided, so it is denied.',
    }
  }
}

function findToolContext(contexts: unknown, name: string): unknown {
  if (typeof contexts !== 'object' || contexts === null || !Object.hasOwn(contexts, name))
    return undefined
  return Object.entries(contexts).find(([key]) => key === name)?.[1]
}
