// No actor without a gate, and no key without the scope; no query takes an unchecked project id.
import { expectTypeOf, test } from 'vitest'
import type { findStop } from '@/server/explanations/stop-attempts.sql.ts'
import type { publishDraft } from '@/server/releases/releases.ts'
import type {
  Actor,
  AuthorizedProjectId,
  ConfigReader,
  IngestTarget,
  KeyScope,
  ProjectScope,
} from './scope.ts'

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
