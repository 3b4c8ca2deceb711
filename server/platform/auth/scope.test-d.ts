import { expectTypeOf, test } from 'vitest'
import type { publishBundle } from '@/server/bundles/bundles.ts'
import type { lockEnvironment } from '@/server/environments/environments.sql.ts'
import type { findStop } from '@/server/explanations/stop-attempts.sql.ts'
import type { publishDraft } from '@/server/releases/releases.ts'
import type { AuthorizedProjectId } from '../ids.ts'
import type { onNotification, subscribe } from '../live/live-bus.ts'
import type { Actor, ConfigReader, IngestTarget, KeyScope, ProjectScope } from './scope.ts'

type Fields = Pick<ProjectScope, 'projectId' | 'userId' | 'userName' | 'role'>

test('an actor is created only by a gate', () => {
  expectTypeOf<Parameters<typeof publishDraft>[0]>().toEqualTypeOf<Actor>()
  expectTypeOf<ProjectScope>().toExtend<Actor>()
  expectTypeOf<KeyScope<'publish'>>().toExtend<Actor>()
  expectTypeOf<Fields>().not.toExtend<Actor>()
})

test('a key with only ingest or read is not an actor, and one with only ingest reads no configs', () => {
  expectTypeOf<KeyScope<'read'>>().not.toExtend<Actor>()
  expectTypeOf<KeyScope<'ingest'>>().not.toExtend<Actor>()
  expectTypeOf<KeyScope>().not.toExtend<Actor>()
  expectTypeOf<KeyScope<'read'>>().toExtend<ConfigReader>()
  expectTypeOf<KeyScope<'ingest'>>().not.toExtend<ConfigReader>()
})

test('a query takes the project of a scope, not an unchecked id', () => {
  type Asked = Parameters<typeof findStop>[0]
  expectTypeOf<Asked>().toEqualTypeOf<AuthorizedProjectId>()
  expectTypeOf<ProjectScope['projectId']>().toExtend<Asked>()
  expectTypeOf<KeyScope['projectId']>().toExtend<Asked>()
  expectTypeOf<IngestTarget['projectId']>().toExtend<Asked>()
  expectTypeOf<string>().not.toExtend<Asked>()
  expectTypeOf<{ readonly projectId: string }>().not.toExtend<Pick<ProjectScope, 'projectId'>>()
})

test('an environment is locked and published to with the project of a scope, not by its id alone', () => {
  type Locked = Parameters<typeof lockEnvironment>[1]
  expectTypeOf<Parameters<typeof publishBundle>[1]>().toEqualTypeOf<Locked>()
  expectTypeOf<Locked['projectId']>().toEqualTypeOf<AuthorizedProjectId>()
  expectTypeOf<string>().not.toExtend<Locked>()
  expectTypeOf<{ projectId: string; environmentId: string }>().not.toExtend<Locked>()
})

test('notifications are received for the project of a scope, not for an unverified id', () => {
  expectTypeOf<Parameters<typeof onNotification>[0]>().toEqualTypeOf<AuthorizedProjectId>()
  expectTypeOf<Parameters<typeof subscribe>[0]>().toEqualTypeOf<AuthorizedProjectId>()
})
