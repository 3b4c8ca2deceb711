import { expect, test } from 'vitest'
import { Name } from './people-input.ts'

test.each(['Ada', 'Zoë Ångström', '山田 太郎', "O'Neil-Smith"])(
  'the user name %s is accepted',
  (name) => {
    expect(Name.parse(` ${name} `)).toBe(name)
  },
)

test.each(['', '   ', 'x\n\u202eadmin', 'Admin\u200b', 'a\u0000b', 'x'.repeat(81)])(
  'the user name %j is refused as empty, too long or with invisible characters',
  (name) => {
    expect(Name.safeParse(name).success).toBe(false)
  },
)
