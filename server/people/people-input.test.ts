import { expect, test } from 'vitest'
import { Name } from './people-input.ts'

test.each(['Ada', 'Zoë Ångström', '山田 太郎', "O'Neil-Smith"])('%s is a name', (name) => {
  expect(Name.parse(` ${name} `)).toBe(name)
})

test.each(['', '   ', 'x\n\u202eadmin', 'Admin\u200b', 'a\u0000b', 'x'.repeat(81)])(
  '%j is none: it would hide or turn what stands around it',
  (name) => {
    expect(Name.safeParse(name).success).toBe(false)
  },
)
