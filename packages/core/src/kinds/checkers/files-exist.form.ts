import type { RuleForm } from '../rule-words.ts'
import type { FilesExistCheckerDocument } from './files-exist.ts'

export const filesExistForm: RuleForm<FilesExistCheckerDocument> = {
  label: 'Files exist',
  sample: { id: 'files', type: 'files_exist', files: ['RESULT.md'] },
  form: [
    { control: 'names', field: 'files', label: 'Files', adding: 'add file', isRequired: true },
  ],
}
