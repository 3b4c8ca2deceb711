// Counts stored events. Deliveries of semantics 1 do not record the type of their provider: the stored config that governed them does.
import type { SessionEvent } from '@signalbox/core'
import { parseConfigText } from '@signalbox/wire'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { findVersionText } from './config-texts.sql.ts'
import type { SessionCounter } from './rollups/count-session.ts'

/** `events` continue those that were counted. A provider's type stays unknown when its config is not stored here. */
export async function countEvents(
  counter: SessionCounter,
  projectId: AuthorizedProjectId,
  events: readonly SessionEvent[],
): Promise<void> {
  const types = new Map<string, ProviderTypes>()
  for (const event of events) {
    const digest = isUntyped(event) ? event.config : undefined
    if (digest === undefined || types.has(digest)) continue
    types.set(digest, await findProviderTypes(projectId, digest))
  }
  for (const event of events) counter.add(typedBy(types, event))
}

type ProviderTypes = ReadonlyMap<string, string>

function isUntyped(event: SessionEvent): boolean {
  return event.type === 'feedback.delivered' && event.data.type === undefined
}

function typedBy(types: ReadonlyMap<string, ProviderTypes>, event: SessionEvent): SessionEvent {
  if (event.type !== 'feedback.delivered' || !isUntyped(event)) return event
  const type = types.get(event.config ?? '')?.get(event.data.provider)
  return type === undefined ? event : { ...event, data: { ...event.data, type } }
}

/** Empty: the project never published the version, or this build cannot read it. */
async function findProviderTypes(
  projectId: AuthorizedProjectId,
  digest: string,
): Promise<ProviderTypes> {
  const text = await findVersionText(projectId, digest)
  const parsed = text === null ? null : parseConfigText(text)
  const providers = parsed?.ok === true ? (parsed.document.feedback_providers ?? []) : []
  return new Map(providers.map(({ id, type }) => [id, type]))
}
