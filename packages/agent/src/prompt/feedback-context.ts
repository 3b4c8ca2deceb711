import type { JsonObject } from '@signalbox/core'
import { FeedbackHistory, type FeedbackRecord, ToolInvoked } from '../state/built-in-slices.ts'
import type { Deadline } from '../state/deadline.ts'
import type { SessionAccess } from '../state/session-access.ts'
import type { WorkspaceAccess } from '../workspace/workspace.ts'
import { Feedback } from './feedback.ts'
import type { PromptInfo } from './prompt-info.ts'
import type { Resources } from './resources.ts'

export interface FeedbackContextParts {
  readonly session: SessionAccess
  readonly prompt: PromptInfo
  readonly deadline: Deadline | null
  /** null: the session has no workspace. */
  readonly filesystem: WorkspaceAccess | null
  readonly resources: Resources
  readonly settings: JsonObject
}

export class FeedbackContext {
  readonly session: SessionAccess
  readonly prompt: PromptInfo
  readonly deadline: Deadline | null
  readonly filesystem: WorkspaceAccess | null
  readonly resources: Resources
  readonly settings: JsonObject

  constructor(parts: FeedbackContextParts) {
    this.session = parts.session
    this.prompt = parts.prompt
    this.deadline = parts.deadline
    this.filesystem = parts.filesystem
    this.resources = parts.resources
    this.settings = parts.settings
  }

  /** Last feedback of any provider; null: none yet. */
  get lastFeedback(): Feedback | null {
    return this.#last(() => true)
  }

  lastFeedbackForProvider(name: string): Feedback | null {
    return this.#last(({ providerName }) => providerName === name)
  }

  get toolCallCount(): number {
    return this.recentToolCalls(1)[0]?.callIndex ?? 0
  }

  toolCallsSinceLastFeedback(): number {
    return this.toolCallCount - (this.lastFeedback?.delivered?.callIndex ?? 0)
  }

  toolCallsSinceLastFeedbackForProvider(name: string): number {
    return this.toolCallCount - (this.lastFeedbackForProvider(name)?.delivered?.callIndex ?? 0)
  }

  /** The last `count` calls of the prompt, oldest first. */
  recentToolCalls(count: number): readonly ToolInvoked[] {
    const calls = this.session.slice(ToolInvoked)
    return calls.recent(count, ({ promptName }) => promptName === this.prompt.name)
  }

  #last(matches: (record: FeedbackRecord) => boolean): Feedback | null {
    const history = this.session.slice(FeedbackHistory)
    const [found] = history.recent(
      1,
      (record) => record.promptName === this.prompt.name && matches(record),
    )
    return found === undefined ? null : Feedback.fromRecord(found)
  }
}
