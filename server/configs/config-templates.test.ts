import { expect, it } from 'vitest'
import { TEMPLATE_NAMES, templateText } from './config-templates.ts'
import { checkConfigText } from './config-text.ts'

it.each(TEMPLATE_NAMES)('a config from the template %s has no lint problems', (name) => {
  const prompt = { ns: 'demo', key: 'new' }
  const checked = checkConfigText(templateText(prompt, name), { ...prompt, customTypes: [] })
  expect(checked).toMatchObject({ ok: true, problems: [] })
})
