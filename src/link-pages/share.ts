// The script of share pages: all that it does is also done without it.
document.documentElement.dataset.script = 'on';
