import { expect, test } from 'vitest'
import { placeRefusals } from './place-refusals.ts'

const SHOWN = { instance: {} }

test('a form shows a refusal at the field that it names, and omits the name of the field from the text', () => {
  const refused = { message: 'email: This is not an email address.', field: 'email' }
  expect(placeRefusals({ name: SHOWN, email: SHOWN }, [refused])).toEqual({
    errors: { form: undefined, fields: { email: 'This is not an email address.' } },
    first: 'email',
  })
})

test('a form shows a refusal of a part at its own field, or at the field that contains it', () => {
  const part = { message: 'Not there.', field: 'publishIn.1' }
  const own = { message: 'Use https.', field: 'destinations.0.url' }
  const fields = {
    destinations2: SHOWN,
    destinations: SHOWN,
    'destinations[0].url': SHOWN,
    publishIn: SHOWN,
  }
  expect(placeRefusals(fields, [part, own]).errors.fields).toEqual({
    publishIn: 'Not there.',
    'destinations[0].url': 'Use https.',
  })
})

test('a form focuses its first refused field, and shows the first refusal of each field', () => {
  const refusals = [
    { message: 'Too long.', field: 'note' },
    { message: 'Fill in a name.', field: 'name' },
    { message: 'Too short.', field: 'name' },
  ]
  const fields = { role: SHOWN, name: SHOWN, note: SHOWN }
  const { errors, first } = placeRefusals(fields, refusals)
  expect([errors.fields, first]).toEqual([{ name: 'Fill in a name.', note: 'Too long.' }, 'name'])
})

test('a form shows a refusal above the button when it names no field or a field that is not shown', () => {
  const gone = { message: 'role: Choose one.', field: 'role' }
  const whole = { message: 'The database does not answer.', field: undefined }
  const { errors, first } = placeRefusals({ name: SHOWN, role: { instance: null } }, [gone, whole])
  expect([errors, first]).toEqual([{ form: 'role: Choose one.', fields: {} }, undefined])
})
