/** In the address, shows the list of earlier texts where an id would show one text. Apart from the dialog, which is loaded late. */
export const HISTORY_LIST = 'list'
