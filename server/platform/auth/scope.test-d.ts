// Nobody becomes an actor without a gate, and no key without the scope.
import { expectTypeOf, test } from 'vitest'
import type { publishDraft } from '@/server/releases/releases.ts'
import type { Actor, ConfigReader, KeyScope, ProjectScope } from './scope.ts'

type Fields = Pick<ProjectScope, 'projectId' | 'userId' | 'userName' | 'role'>

test('an actor comes only from a gate', () => {
  expectTypeOf<Parameters<typeof publishDraft>[0]>().toEqualTypeOf<Actor>()
  expectTypeOf<ProjectScope>().toExtend<Actor>()
  expectTypeOf<KeyScope<'publish'>>().toExtend<Actor>()
  expectTypeOf<Fields>().not.toExtend<Actor>()
})

test('a key that only ingests or reads is not an actor, and one that only ingests reads no configs', () => {
  expectTypeOf<KeyScope<'read'>>().not.toExtend<Actor>()
  expectTypeOf<KeyScope<'ingest'>>().not.toExtend<Actor>()
  expectTypeOf<KeyScope>().not.toExtend<Actor>()
  expectTypeOf<KeyScope<'read'>>().toExtend<ConfigReader>()
  expectTypeOf<KeyScope<'ingest'>>().not.toExtend<ConfigReader>()
})
